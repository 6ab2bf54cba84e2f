/** A run: a file of catalog lines sorted by key, written once and never changed. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createPauses } from "../pauses.js";
import type { Entry, Source } from "./entries.js";
import { firstNotBelow, LONGEST_LINE, parseLines, toLine } from "./entries.js";

export interface Run {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Lines, and how many of them say that a key is gone. */
  readonly lines: number;
  readonly gone: number;
}

/** Bytes of a run that are read at once. */
const BLOCK = 16 * 1024;

/** Characters of a run that are written at once. */
const CHUNK = 64 * 1024;

/**
 * Writes the rest of a source as a run, and syncs it. `dropGone` leaves out the keys that are not
 * there: it is for the oldest run, because no older run has keys that it must hide.
 */
export async function writeRun(
  directory: string,
  source: Source,
  dropGone: boolean,
): Promise<Run | undefined> {
  const name = `run-${randomBytes(12).toString("hex")}`;
  const path = join(directory, name);
  const file = await open(path, "wx", 0o600);
  const pause = createPauses();
  let [size, lines, gone] = [0, 0, 0];
  try {
    let text = "";
    const flush = async (): Promise<void> => {
      const bytes = Buffer.from(text, "latin1");
      text = "";
      size += bytes.length;
      await file.writeFile(bytes);
    };
    for (let entry = source.current; entry !== undefined; entry = source.current) {
      source.advance();
      if (entry.there || !dropGone) {
        text += toLine(entry);
        lines += 1;
        if (!entry.there) gone += 1;
        if (text.length >= CHUNK) await flush();
      }
      const held = pause();
      if (held !== undefined) await held;
    }
    await flush();
    if (lines > 0) {
      await file.datasync();
      return { name, size, lines, gone };
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rm(path, { force: true });
  return undefined;
}

/**
 * Opens a run for reading; throws ENOENT where it is no more. Memory holds only one block of it,
 * and the first key of each block that a search looked at.
 */
export function openRun(path: string): Source {
  const file = openSync(path, "r");
  const blocks = Math.ceil(fstatSync(file).size / BLOCK);
  const firstKeys = new Map<number, string | undefined>();
  let block = 0;
  let entries: readonly Entry[] = [];
  let index = 0;

  /** The text of the lines that begin in the first `length` bytes of a block. */
  const linesOf = (number: number, length: number): string => {
    // Reads from the byte before, which says whether a line begins with the block.
    const start = Math.max(number * BLOCK - 1, 0);
    const last = number * BLOCK + length - 1 - start;
    const bytes = Buffer.allocUnsafe(last + 1 + LONGEST_LINE);
    const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, start));
    const begin = number === 0 ? 0 : text.indexOf("\n") + 1;
    const end = text.indexOf("\n", last);
    return begin > last ? "" : text.slice(begin, end < 0 ? undefined : end);
  };
  const load = (number: number): void => {
    block = number;
    index = 0;
    entries = number < blocks ? parseLines(linesOf(number, BLOCK)) : [];
    firstKeys.set(number, entries[0]?.key);
  };
  /** Undefined for a last block in which no line begins. */
  const firstKey = (number: number): string | undefined => {
    if (!firstKeys.has(number)) {
      firstKeys.set(number, parseLines(linesOf(number, LONGEST_LINE))[0]?.key);
    }
    return firstKeys.get(number);
  };
  const settle = (): void => {
    for (let next = block + 1; index >= entries.length && next <= blocks; next += 1) load(next);
  };
  load(0);
  settle();

  return {
    get current() {
      return entries[index];
    },
    advance() {
      index += 1;
      if (index >= entries.length) settle();
    },
    seek(from) {
      let low = 0;
      let high = blocks;
      // Finds the last block that begins at or below the key; the next one begins above it.
      while (high - low > 1) {
        const middle = (low + high) >>> 1;
        const first = firstKey(middle);
        if (first !== undefined && first <= from) low = middle;
        else high = middle;
      }
      if (low !== block) load(low);
      index = firstNotBelow(entries, from);
      settle();
    },
    close: () => closeSync(file),
  };
}
