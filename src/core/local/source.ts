/** A local file as a source: opened once, read anywhere, and known to be the same to the end. */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  type Stats,
} from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

import { type AppError, conflictError } from "../failures/errors.js";
import { requireRegularFile } from "./regular-file.js";
import { localError } from "../failures/local.js";

/** The facts that tell one state of a file from another. */
export type FileIdentity = Pick<BigIntStats, "size" | "mtimeNs" | "ino">;

export interface LocalSource {
  /** The state of the file when it was opened. */
  readonly stats: BigIntStats;
  /** Fills `buffer` from a position; fails with SourceChanged when the file has become shorter. */
  read(buffer: Uint8Array, position: number): Promise<void>;
  /** Throws SourceChanged unless the file is still what was opened. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** The error of a source that is not what it was when the transfer began. */
export function sourceChanged(name: string): AppError {
  return conflictError(
    "SourceChanged",
    `${name} changed while it was being read`,
    "run the command again once nothing writes to it",
  );
}

// Something else may take the file's place meanwhile: a named pipe must not block the open.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** To the nanosecond: that is how other tools keep times. */
const BIGINT = { bigint: true } as const;

/** Whether two states have the same bytes; a new name, link or mode changes the ctime, and none of them. */
export function sameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.size === other.size && one.mtimeNs === other.mtimeNs && one.ino === other.ino;
}

/** Opens a file to be read in pieces. */
export async function openLocalSource(path: string): Promise<LocalSource> {
  let handle: FileHandle;
  try {
    handle = await open(path, FLAGS);
  } catch (error) {
    throw localError(error, "read", path);
  }
  try {
    const stats = await handle.stat(BIGINT);
    requireRegularFile(stats, path);
    return localSource(handle, stats, path);
  } catch (error) {
    await handle.close();
    throw localError(error, "read", path);
  }
}

function localSource(handle: FileHandle, stats: BigIntStats, path: string): LocalSource {
  return {
    stats,
    read: async (buffer, position) => {
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await handle
          .read(buffer, filled, buffer.length - filled, position + filled)
          .catch((error: unknown) => {
            throw localError(error, "read", path);
          });
        if (bytesRead === 0) throw sourceChanged(path);
        filled += bytesRead;
      }
    },
    checkUnchanged: async () => {
      // The path, too: a file that was replaced is another file, though the open one still reads.
      const [opened, named] = await Promise.all([handle.stat(BIGINT), stat(path, BIGINT)]).catch(
        () => {
          throw sourceChanged(path);
        },
      );
      if (!sameFile(opened, stats) || !sameFile(named, stats)) throw sourceChanged(path);
    },
    close: () => handle.close(),
  };
}

/** A read that takes longer than this has waited for the disk. */
const SLOW_READ_MS = 2;
/** By how much slow reads outnumber fast ones of late. */
let slowness = 0;
const MOSTLY_SLOW = 8;

/** Takes note of how long a read took that began at a time. */
function judgeDisk(begun: number): void {
  const slow = performance.now() - begun > SLOW_READ_MS;
  slowness = slow ? Math.min(2 * MOSTLY_SLOW, slowness + 1) : Math.max(0, slowness - 1);
}

/** Whether reads go to the thread pool now. */
function isSlow(): boolean {
  if (slowness <= MOSTLY_SLOW) return false;
  // So that from time to time it is tried again.
  slowness -= 0.05;
  return true;
}

/**
 * Reads so many bytes of a file at once, with its state when they were read; undefined on a disk
 * found to be slow. A caller that knows an earlier state compares the two: this one may be of more
 * bytes, or of another file.
 */
export function readAtOnce(
  path: string,
  size: number,
): { readonly bytes: Uint8Array; readonly stats: Stats } | undefined {
  if (isSlow()) return undefined;
  const begun = performance.now();
  try {
    const descriptor = openSync(path, FLAGS);
    try {
      const bytes = Buffer.allocUnsafe(size);
      fill(descriptor, bytes, path);
      const stats = fstatSync(descriptor);
      judgeDisk(begun);
      return { bytes, stats };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw localError(error, "read", path);
  }
}

function fill(descriptor: number, bytes: Uint8Array, path: string): void {
  for (let filled = 0; filled < bytes.length;) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, filled);
    if (count === 0) throw sourceChanged(path);
    filled += count;
  }
}

interface SmallFile {
  readonly bytes: Uint8Array;
  readonly stats: BigIntStats;
}

/**
 * Reads a small file whole into a buffer from `allocate`, and checks that it did not change
 * meanwhile. On a fast disk that is done at once, since handing four calls to the thread pool
 * costs more than they do; on a disk found to be slow, without blocking.
 */
export async function readSmallFile(
  path: string,
  allocate: (size: number) => Promise<Uint8Array> | Uint8Array,
): Promise<SmallFile> {
  if (isSlow()) {
    const source = await openLocalSource(path);
    try {
      const { stats } = source;
      const bytes = await allocate(Number(stats.size));
      await source.read(bytes, 0);
      await source.checkUnchanged();
      return { bytes, stats };
    } finally {
      await source.close();
    }
  }
  const begun = performance.now();
  let descriptor: number;
  try {
    descriptor = openSync(path, FLAGS);
  } catch (error) {
    throw localError(error, "read", path);
  }
  try {
    const stats = fstatSync(descriptor, BIGINT);
    requireRegularFile(stats, path);
    const allocated = allocate(Number(stats.size));
    const bytes = allocated instanceof Uint8Array ? allocated : await allocated;
    fill(descriptor, bytes, path);
    if (!sameFile(fstatSync(descriptor, BIGINT), stats)) throw sourceChanged(path);
    judgeDisk(begun);
    return { bytes, stats };
  } catch (error) {
    throw localError(error, "read", path);
  } finally {
    closeSync(descriptor);
  }
}
