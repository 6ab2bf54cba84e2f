/**
 * Ranges of names below a place, in the order of their UTF-8 bytes. A range holds the names after
 * `after` up to and including `to`, as a listing takes them, so ranges whose ends meet tile all names:
 * each name is in exactly one of them, also one that equals a boundary.
 */
import { compareKeys } from "./storage/key-order.js";

export interface KeyRange {
  /** Exclusive. Default: from the first name on, also the empty one. */
  readonly after?: string | undefined;
  /** Inclusive. Default: to the last name. */
  readonly to?: string | undefined;
}

/** One of the ranges that a split cut a place into. */
export interface Shard extends KeyRange {
  /** From 1 to `of`. */
  readonly number: number;
  readonly of: number;
  /** The split, by its fingerprint. */
  readonly split: string;
}

/** Whether a name is in a range. */
export function holds({ after, to }: KeyRange, name: string): boolean {
  if (after !== undefined && compareKeys(name, after) <= 0) return false;
  return to === undefined || compareKeys(name, to) <= 0;
}

/** Whether a name that begins with this, as with that of a directory, can be in a range. */
export function reaches({ after, to }: KeyRange, beginning: string): boolean {
  if (to !== undefined && compareKeys(beginning, to) > 0) return false;
  return after === undefined || after.startsWith(beginning) || compareKeys(beginning, after) > 0;
}

/** The ranges between boundaries that ascend: one more than there are boundaries. */
export function rangesBetween(boundaries: readonly string[]): KeyRange[] {
  return [...boundaries, undefined].map((to, index) => ({
    ...(index > 0 && { after: boundaries[index - 1] }),
    ...(to !== undefined && { to }),
  }));
}

/** Whether ranges, in their order, hold every name exactly once; some may be empty. */
export function isTiling(ranges: readonly KeyRange[]): boolean {
  return (
    ranges.length > 0 &&
    ranges.every(({ after, to }, index) => {
      const last = index === ranges.length - 1;
      if ((to === undefined) !== last || (after === undefined) !== (index === 0)) return false;
      if (index > 0 && after !== ranges[index - 1]!.to) return false;
      return after === undefined || to === undefined || compareKeys(after, to) <= 0;
    })
  );
}
