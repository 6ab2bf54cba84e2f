/**
 * An object of several files: a directory of hard links to the parts it was made of, and a
 * manifest. Readers open one file after the other, so while they do they hold the directory: a
 * link to their owner file inside it, which a process that removes the object looks for.
 */
import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PartRecord } from "../records.js";
import { StoreError } from "../errors.js";
import type { Directory } from "./directory.js";
import { ifThere, isErrno, writeSynced } from "../../system/files.js";
import { fateOf } from "../../system/owner.js";

export interface Manifest {
  readonly segments: readonly { readonly name: string; readonly size: number }[];
  /** For an object made by multipart upload; a copy of one has segments but no parts. */
  readonly parts?: readonly PartRecord[] | undefined;
}

/** Bytes read at once; one buffer a reader. */
const BUFFER = 256 * 1024;

const MANIFEST = "manifest.json";
const HOLD = "hold-";

/** Writes the manifest into the directory of segments. */
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  await writeSynced(join(directory, MANIFEST), [Buffer.from(JSON.stringify(manifest))]);
}

/** The manifest; undefined when the directory is there no more. */
export async function readManifest(directory: string): Promise<Manifest | undefined> {
  const text = await ifThere(readFile(join(directory, MANIFEST), "utf8"));
  if (text === undefined) return undefined;
  const manifest = JSON.parse(text) as Manifest;
  const parts = manifest.parts?.map((part) => ({
    ...part,
    lastModified: new Date(part.lastModified),
  }));
  return { ...manifest, parts };
}

/** The file by which one reader will hold a directory of segments, once it has made it. */
export function newHold(segments: string): string {
  return join(segments, HOLD + randomBytes(8).toString("hex"));
}

/**
 * Removes the bytes of a blob that no record refers to any more. False when a reader still holds
 * them, or the system refuses because it has them open: then they have to be removed later.
 */
export async function removeBlob(directory: Directory, id: string): Promise<boolean> {
  const path = directory.blob(id);
  try {
    const names = await readdir(path).catch((error: unknown) => {
      if (isErrno(error, "ENOTDIR")) return undefined;
      throw error;
    });
    if (names === undefined) {
      await rm(path, { force: true });
      return true;
    }
    for (const name of names) {
      if (name.startsWith(HOLD) && (await fateOf(join(path, name))) === "alive") return false;
    }
    // A reader that comes too late may put a hold there meanwhile, and takes it away at once.
    await rm(path, { recursive: true, force: true, maxRetries: 10 });
    return true;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return true;
    if (isErrno(error, "EBUSY", "EPERM", "EACCES")) return false;
    throw error;
  }
}

/** Bytes are missing at the end of what a record describes. */
export const tooShort = (): StoreError =>
  new StoreError("InternalError", 500, "The object's file is shorter than its record.");

/** Bytes `start` to `end` inclusive of a file. A chunk is valid until the next is asked for. */
export async function* readFrom(
  file: FileHandle,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(BUFFER, end - start + 1)));
  for (let position = start; position <= end;) {
    const wanted = Math.min(buffer.length, end - position + 1);
    const { bytesRead } = await file.read(buffer, 0, wanted, position);
    if (bytesRead === 0) {
      throw tooShort();
    }
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Bytes `start` to `end` inclusive of a directory of segments, one open file at a time. */
export async function* readSegments(
  directory: string,
  manifest: Manifest,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const { name, size } of manifest.segments) {
    const first = Math.max(start - from, 0);
    const last = Math.min(end - from, size - 1);
    from += size;
    if (first > last) continue;
    const file = await open(join(directory, name), "r");
    try {
      yield* readFrom(file, first, last);
    } finally {
      await file.close();
    }
  }
}
