/** Bytes on their way in: small ones in memory, larger ones in a synced file under `tmp/`. */
import type { FileHandle } from "node:fs/promises";
import { link, open, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Directory } from "./directory.js";
import { ifThere, makeDirectory, writeSynced } from "../../system/files.js";
import type { Manifest } from "./segments.js";
import { writeManifest } from "./segments.js";

/** Objects up to this size live in their record: one file and one sync fewer each. */
export const INLINE = 64 * 1024;

/** The staged bytes, by where they are. `path` is in `tmp/`. */
export type Staged =
  | { readonly kind: "inline"; readonly bytes: Buffer }
  | { readonly kind: "blob"; readonly path: string }
  | { readonly kind: "segments"; readonly path: string };

/** Bytes that are on disk, synced (small ones in memory), and not yet anybody's. Commit it once, or discard it. */
export interface StagedBlob {
  readonly staged: Staged;
  readonly size: number;
  /** Removes the bytes; harmless after a commit. */
  discard(): Promise<void>;
}

const BUFFER = 512 * 1024;

/**
 * Writes chunks to temporary space. A chunk is copied before the next is asked for, and one buffer
 * is written while the next is filled. On a throw nothing is left.
 */
export async function stage(
  directory: Directory,
  chunks: AsyncIterable<Uint8Array>,
): Promise<StagedBlob> {
  let path: string | undefined;
  let file: FileHandle | undefined;
  let size = 0;
  let buffer: Buffer = Buffer.allocUnsafe(4096);
  let filled = 0;
  let spare: Buffer | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const flush = async (): Promise<void> => {
    await writing;
    if (file === undefined) {
      path = await directory.temporary();
      file = await open(path, "wx", 0o600);
    }
    const full = buffer.subarray(0, filled);
    buffer = spare ?? Buffer.allocUnsafe(BUFFER);
    spare = full.length === BUFFER ? full : undefined;
    filled = 0;
    writing = writeAll(file, full);
    // Awaited at the next flush; without this a failure meanwhile would count as unhandled.
    writing.catch(() => undefined);
  };
  try {
    for await (const chunk of chunks) {
      let rest = chunk;
      size += chunk.length;
      while (rest.length > 0) {
        if (filled === buffer.length) {
          if (filled < BUFFER) buffer = grown(buffer, filled + rest.length);
          else await flush();
        }
        const taken = rest.subarray(0, buffer.length - filled);
        buffer.set(taken, filled);
        filled += taken.length;
        rest = rest.subarray(taken.length);
      }
    }
    if (size <= INLINE) return inMemory(buffer.subarray(0, filled));
    if (filled > 0) await flush();
    await writing;
    await file!.datasync();
    await file!.close();
    return onDisk({ kind: "blob", path: path! }, size);
  } catch (error) {
    await writing.catch(() => undefined);
    await file?.close();
    if (path !== undefined) await rm(path, { force: true });
    throw error;
  }
}

/** Bytes that need no disk before they are committed. */
export function inMemory(bytes: Buffer): StagedBlob {
  const discard = (): Promise<void> => Promise.resolve();
  return { size: bytes.length, discard, staged: { kind: "inline", bytes } };
}

/** A second name for a file that cannot change; undefined when it is there no more. */
export async function stageLink(
  directory: Directory,
  source: string,
  size: number,
): Promise<StagedBlob | undefined> {
  const path = await directory.temporary();
  const made = await ifThere(link(source, path).then(() => true));
  return made === undefined ? undefined : onDisk({ kind: "blob", path }, size);
}

/** A directory of second names for several files, and the manifest that orders them. */
export async function stageSegments(
  directory: Directory,
  sources: readonly string[],
  manifest: Manifest,
): Promise<StagedBlob> {
  const path = await directory.temporary();
  const size = manifest.segments.reduce((sum, segment) => sum + segment.size, 0);
  await makeDirectory(path);
  try {
    for (const [index, source] of sources.entries()) {
      await link(source, join(path, manifest.segments[index]!.name));
    }
    await writeManifest(path, manifest);
    await directory.sync(path);
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    throw error;
  }
  return onDisk({ kind: "segments", path }, size);
}

/** The file of a staged blob, written out if it was held in memory. */
export async function asFile(directory: Directory, blob: StagedBlob): Promise<string> {
  if (blob.staged.kind !== "inline") return blob.staged.path;
  const path = await directory.temporary();
  await writeSynced(path, [blob.staged.bytes]);
  return path;
}

/** The id under which a staged file is to be kept: the random end of its name. */
export function idOf(staged: { readonly path: string }): string {
  const name = basename(staged.path);
  return name.slice(name.lastIndexOf("-") + 1);
}

function onDisk(staged: Exclude<Staged, { kind: "inline" }>, size: number): StagedBlob {
  const discard = (): Promise<void> => rm(staged.path, { recursive: true, force: true });
  return { size, discard, staged };
}

function grown(buffer: Buffer, wanted: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(BUFFER, Math.max(wanted, buffer.length * 4)));
  larger.set(buffer);
  return larger;
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    const { bytesWritten } = await file.write(bytes, offset);
    offset += bytesWritten;
  }
}
