/**
 * A journal: a file of catalog lines in the order in which they were written, by any number of
 * processes at once. Appending is one system call, so lines do not mix.
 */
import { isErrno } from "../../../system/files.js";
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { Entry, Source } from "./entries.js";
import { firstNotBelow, fromArray, parseLines, toLine } from "./entries.js";

/** Bytes from which on a journal becomes a run. */
export const JOURNAL_LIMIT = 64 * 1024;

/** Appends an entry and returns the journal's size; undefined where the journal is no more. */
export function append(journal: string, entry: Entry): number | undefined {
  let file: number;
  try {
    file = openSync(journal, constants.O_WRONLY | constants.O_APPEND);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
  try {
    // A line that a full disk cut short before this one must not become part of it.
    const bytes = Buffer.from(`\n${toLine(entry)}`, "latin1");
    if (writeSync(file, bytes) < bytes.length) {
      throw Object.assign(new Error("no space for a whole line"), { code: "ENOSPC" });
    }
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** A journal as far as it was read. */
export interface Read {
  readonly inode: number;
  /** The number of its first bytes that are in `entries`, which end with a line. */
  readonly bytes: number;
  /** Its last word on each key, in order. */
  readonly entries: readonly Entry[];
}

/**
 * Reads what was appended since the last time: what a journal holds never changes, and no other gets
 * its name. A shorter one, or another file, is read from its beginning.
 */
export function readJournal(path: string, before?: Read): Read {
  const file = openSync(path, "r");
  try {
    const { ino: inode, size } = fstatSync(file);
    const known = before?.inode === inode && before.bytes <= size ? before : undefined;
    const { bytes: start, entries } = known ?? { bytes: 0, entries: [] };
    if (known?.bytes === size) return known;
    const rest = Buffer.allocUnsafe(size - start);
    const text = rest.toString("latin1", 0, readSync(file, rest, 0, rest.length, start));
    // A line that is not whole yet is read again.
    const end = text.lastIndexOf("\n") + 1;
    const last = new Map(parseLines(text.slice(0, end)).map((entry) => [entry.key, entry]));
    const all: Entry[] = [];
    let index = 0;
    for (const key of [...last.keys()].sort()) {
      const at = firstNotBelow(entries, key);
      while (index < at) all.push(entries[index++]!);
      if (entries[index]?.key === key) index += 1;
      all.push(last.get(key)!);
    }
    return { inode, bytes: start + end, entries: all.concat(entries.slice(index)) };
  } finally {
    closeSync(file);
  }
}

/** Journals whose entries are kept for the next page. */
const KEPT = 4;

/** The entries of a journal as it is now; throws ENOENT where it is no more. */
export function openJournal(kept: Map<string, Read>, path: string): Source {
  const read = readJournal(path, kept.get(path));
  kept.delete(path);
  kept.set(path, read);
  for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
  return fromArray(read.entries);
}
