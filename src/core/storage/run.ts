/**
 * Listed entries in the order in which they came. Most pages of a split listing wait for their turn,
 * and some of what they hold belongs to a neighbor: so keys can be looked at before entries are made.
 */
import { compareKeys } from "./key-order.js";
import type { Entry } from "./storage.js";

export interface Run<T extends Entry = Entry> {
  readonly length: number;
  /** The key of one of them, from 0 to below `length`. */
  keyAt(index: number): string;
  /** A part of them, as of an array. */
  slice(from: number, to?: number): Run<T>;
  /** Whether each key comes after the one before it. */
  isAscending(): boolean;
  /** Makes the entries. Neither they nor their keys can be asked for again. */
  entries(): T[];
  /** Gives them up, so that their memory can be used again; parts of them stay. */
  drop(): void;
}

/** Entries that are there already. */
export function runOf<T extends Entry>(entries: T[]): Run<T> {
  return {
    length: entries.length,
    keyAt: (index) => entries[index]!.key,
    slice: (from, to) => runOf(entries.slice(from, to)),
    isAscending: () =>
      entries.every(({ key }, i) => i === 0 || compareKeys(entries[i - 1]!.key, key) < 0),
    entries: () => entries,
    drop: () => undefined,
  };
}

/**
 * The key of one of them, for keeping. A part of a string keeps the whole of it in memory, which here is
 * the text of a page; a part of a new one keeps little.
 */
export function keptKey(run: Run, index: number): string {
  return ` ${run.keyAt(index)}`.slice(1);
}

/** Whether a run is in the order of keys and lies after `after`. */
export function isOrdered(run: Run, after: string): boolean {
  if (run.length === 0) return true;
  const first = run.keyAt(0);
  return (compareKeys(first, after) > 0 || (first === "" && after === "")) && run.isAscending();
}
