/**
 * A journal: a file of catalog lines in the order in which they were written, by any number of
 * processes at once. Appending is one system call, so lines do not mix.
 */
import { isErrno } from "../../../system/files.js";
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Entry, Source } from "./entries.js";
import { fromArray, parseLines, toLine } from "./entries.js";

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

/** The entries of journals, the oldest first: the last word on each key. */
export function openJournals(paths: readonly string[]): Source {
  const last = new Map<string, boolean>();
  for (const path of paths) {
    for (const { key, there } of parseLines(readFileSync(path, "latin1"))) last.set(key, there);
  }
  return fromArray([...last.keys()].sort().map((key) => ({ key, there: last.get(key)! })));
}
