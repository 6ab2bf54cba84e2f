/** The entries of a directory of keys in listing order, remembered while nothing changes. */
import { readdir, stat } from "node:fs/promises";
import { ifThere } from "./files.js";
import { decodeName } from "./names.js";

interface Remembered {
  readonly identity: string;
  readonly entries: readonly string[];
}

/** Directories with fewer entries are read anew each time: that costs less than the memory. */
const WORTHWHILE = 500;

/** Remembered entries of all directories together. */
const CAPACITY = 1_000_000;

/** The coarsest modification time of a file system in use (FAT's), in milliseconds. */
const GRANULARITY = 2_000;

/**
 * Reads directories for listings. A directory is remembered only if it was last modified well
 * before it was read: any later change then shows in its modification time, however coarse that
 * is. One that was modified just now is read again for every page.
 */
export function createNamesReader(): (directory: string) => Promise<readonly string[]> {
  const cache = new Map<string, Remembered>();
  let total = 0;
  const forget = (directory: string): void => {
    total -= cache.get(directory)?.entries.length ?? 0;
    cache.delete(directory);
  };
  return async (directory) => {
    const started = Date.now();
    const seen = await ifThere(stat(directory, { bigint: true }));
    if (seen === undefined) return [];
    const identity = `${seen.dev} ${seen.ino} ${seen.mtimeNs} ${seen.ctimeNs}`;
    const known = cache.get(directory);
    if (known?.identity === identity) return known.entries;
    const entries = ((await ifThere(readdir(directory))) ?? [])
      .map(decodeName)
      .filter((entry) => entry !== undefined)
      .sort();
    forget(directory);
    const settled = Number(seen.mtimeNs / 1_000_000n) < started - GRANULARITY;
    if (settled && entries.length >= WORTHWHILE) {
      cache.set(directory, { identity, entries });
      total += entries.length;
      for (const oldest of cache.keys()) {
        if (total <= CAPACITY) break;
        forget(oldest);
      }
    }
    return entries;
  };
}
