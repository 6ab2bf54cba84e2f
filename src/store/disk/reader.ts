/** Objects opened for reading: bytes that stay readable whatever is written or deleted next. */
import type { FileHandle } from "node:fs/promises";
import { open, rm } from "node:fs/promises";
import type { ObjectRecord } from "../records.js";
import { StoreError } from "../errors.js";
import type { Directory } from "./directory.js";
import { ifThere } from "../../system/files.js";
import type { Picked } from "./history.js";
import type { Version } from "./record.js";
import { blobOf, toObject } from "./record.js";
import type { Manifest } from "./segments.js";
import { newHold, readFrom, readManifest, readSegments, tooShort } from "./segments.js";

/** Where opened bytes come from; `stageCopy` shares files by it. */
export type Source =
  | { readonly kind: "inline"; readonly bytes: Buffer }
  | { readonly kind: "blob"; readonly path: string; readonly file: FileHandle }
  | { readonly kind: "segments"; readonly path: string; readonly manifest: Manifest };

/** An object opened for reading: its record, and bytes that stay readable whatever happens next. */
export interface OpenBlob {
  readonly record: ObjectRecord;
  readonly source: Source;
  /** All stored bytes, where opening has read them. */
  readonly bytes?: Uint8Array | undefined;
  /** Stored (sealed) bytes `start` to `end` inclusive. Releases the object when done or left. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Releases the object without reading it. */
  close(): Promise<void>;
}

/** How often an object is looked up again because it was replaced while being opened. */
const TRIES = 100;

/**
 * Opens the version that `choose` finds, which throws if there is none. `released` is called when a
 * hold on segments ends.
 */
export async function openVersion(
  directory: Directory,
  key: string,
  choose: () => Picked,
  released: () => Promise<void>,
): Promise<OpenBlob> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { version, inline, isLatest } = choose();
    const stands = async (): Promise<boolean> => blobOf(choose().version) === blobOf(version);
    const opened =
      version.content.kind === "segments"
        ? await holdSegments(directory, version.content.blob, stands, released)
        : await openFile(directory, version, inline);
    if (opened === undefined) continue;
    return withReading(toObject(key, version, isLatest), opened.source, opened.close);
  }
  throw new StoreError("InternalError", 500, `The bytes of ${key} are missing.`);
}

interface Opened {
  readonly source: Source;
  readonly close: () => Promise<void>;
}

/** Undefined when the file went away before it could be opened. */
async function openFile(
  directory: Directory,
  { content }: Version,
  inline: Buffer | undefined,
): Promise<Opened | undefined> {
  if (content.kind !== "blob") {
    const bytes = (content.kind === "inline" && inline) || Buffer.alloc(0);
    return { source: { kind: "inline", bytes }, close: () => Promise.resolve() };
  }
  const path = directory.blob(content.blob);
  const file = await ifThere(open(path, "r"));
  return file && { source: { kind: "blob", path, file }, close: () => file.close() };
}

/** Undefined when the segments went away before they could be held. */
async function holdSegments(
  directory: Directory,
  blob: string,
  stands: () => Promise<boolean>,
  released: () => Promise<void>,
): Promise<Opened | undefined> {
  const path = directory.blob(blob);
  const hold = newHold(path);
  if ((await directory.owner.mark(hold)) !== "made") return undefined;
  const close = async (): Promise<void> => {
    await rm(hold, { force: true });
    await released();
  };
  // A process that removes the object replaces the record first, then looks for holds: if the
  // record still stands now, the hold was in time.
  try {
    const manifest = (await stands()) ? await readManifest(path) : undefined;
    if (manifest !== undefined) return { source: { kind: "segments", path, manifest }, close };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}

function withReading(about: ObjectRecord, source: Source, release: () => Promise<void>): OpenBlob {
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= release());
  const parts = source.kind === "segments" ? source.manifest.parts : undefined;
  const record = parts === undefined ? about : { ...about, parts };
  async function* read(start: number, end: number): AsyncGenerator<Uint8Array> {
    try {
      if (source.kind === "inline") yield* inMemory(source.bytes, start, end);
      else if (source.kind === "blob") yield* readFrom(source.file, start, end);
      else yield* readSegments(source.path, source.manifest, start, end);
    } finally {
      await close();
    }
  }
  return {
    record,
    bytes: source.kind === "inline" ? source.bytes : undefined,
    source,
    read,
    close,
  };
}

function* inMemory(bytes: Buffer, start: number, end: number): Generator<Uint8Array> {
  if (bytes.length <= end) throw tooShort();
  if (end >= start) yield bytes.subarray(start, end + 1);
}
