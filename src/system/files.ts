/** Durable file operations: what is said to be done survives a power cut. */
import { closeSync, fdatasync, fsync, openSync, readFileSync, writevSync } from "node:fs";
import { rm, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { create, mkdir, rename, rmdir } from "./calls.js";
import { WINDOWS } from "./process.js";

const datasync = promisify(fdatasync);
const sync = promisify(fsync);

/**
 * Writes a new private file and syncs it. On a throw there is none. The sync waits in the thread
 * pool; the rest takes microseconds, and a trip there several times as long.
 */
export async function writeSynced(path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const file = await create(path, "wx", 0o600);
  try {
    writeAll(file, chunks);
    await datasync(file);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** A disk that is nearly full takes a part, says so by the count alone, and refuses the rest. */
function writeAll(file: number, chunks: readonly Uint8Array[]): void {
  let rest = chunks.filter(({ length }) => length > 0);
  while (rest.length > 0) {
    let written = writevSync(file, rest);
    while (rest.length > 0 && written >= rest[0]!.length) {
      written -= rest[0]!.length;
      rest = rest.slice(1);
    }
    if (written > 0) rest = [rest[0]!.subarray(written), ...rest.slice(1)];
  }
}

/**
 * Makes a function that does something durable to a path. Calls that come before a run begins share
 * that run; the next run begins when the one before has ended and all that are ready have called.
 * So many commits in one directory cost few syncs, and each sync begins after the changes it is
 * for.
 */
export function createShared(
  work: (path: string) => Promise<void>,
): (path: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const following = new Map<string, Promise<void>>();
  const start = async (path: string): Promise<void> => {
    await running.get(path)?.catch(() => undefined);
    await setImmediate();
    following.delete(path);
    const current = work(path);
    running.set(path, current);
    try {
      await current;
    } finally {
      if (running.get(path) === current) running.delete(path);
    }
  };
  return (path) => {
    const shared = following.get(path) ?? start(path);
    following.set(path, shared);
    return shared;
  };
}

/** Files that a remover removes at once, and how many may wait before its callers wait, too. */
const REMOVED_AT_ONCE = 4;
const REMOVED_LATER = 1000;

/**
 * A function that removes files beside other work: freeing blocks can take a disk longer than
 * syncing a directory. A file that it fails to remove stays.
 */
export function createRemover(): (file: string) => Promise<void> {
  const waiting: string[] = [];
  let busy = 0;
  const work = async (): Promise<void> => {
    busy += 1;
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      await unlink(file).catch(() => undefined);
    }
    busy -= 1;
  };
  return async (file) => {
    waiting.push(file);
    if (busy < REMOVED_AT_ONCE) void work();
    else if (waiting.length > REMOVED_LATER) await work();
  };
}

/** Makes the bytes of a file durable; nothing to do for one that is no more. */
export async function syncFile(path: string): Promise<void> {
  const file = openThere(path, "r+");
  if (file === undefined) return;
  try {
    await datasync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes a directory's entries durable. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open a directory, and NTFS journals its entries itself.
  if (WINDOWS) return;
  const file = openThere(directory, "r");
  // It was removed meanwhile: then its removal must last.
  if (file === undefined) return syncDirectory(dirname(directory));
  try {
    await sync(file);
  } finally {
    closeSync(file);
  }
}

/** Opens a file at once; undefined where there is none. */
export function openThere(path: string, flags: "r" | "r+"): number | undefined {
  try {
    return openSync(path, flags);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}

/** A small file's bytes, read at once; undefined where there is none. */
export function readThere(path: string): Buffer | undefined {
  const file = openThere(path, "r");
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Renames over what is there. On Windows a reader may hold the target for a moment: try again. */
export async function replace(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (!WINDOWS || attempt === 50 || !isErrno(error, "EPERM", "EACCES", "EBUSY")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/**
 * Replaces a small file in one step, durably: a reader, or the machine after a power cut, finds the
 * old one or the new one. `temporary` is a fresh path on the same file system.
 */
export async function replaceFile(path: string, text: string, temporary: string): Promise<void> {
  await writeSynced(temporary, [Buffer.from(text)]);
  try {
    await replace(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes one private directory; false when it was there. */
export async function makeDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  }
}

/** Removes a directory if it is empty; false when it is not, or not there. */
export async function removeIfEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (isErrno(error, "ENOTEMPTY", "EEXIST", "ENOENT", "EBUSY", "EPERM")) return false;
    throw error;
  }
}

/** The value, or undefined where the file is not there. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}

/** Files opened at once by one call. */
const AT_ONCE = 16;

/** Maps with bounded concurrency, keeping the order. */
export async function mapSome<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

/** Whether a caught value is a failed system call of one of these kinds. */
export function isErrno(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  // Not by `instanceof`: jest runs a test, and the store in it, with another Error than Node's own.
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code !== undefined && codes.includes(code);
}
