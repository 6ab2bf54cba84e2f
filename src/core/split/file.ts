/**
 * Splits: a place's names cut into ranges of about as many, as a file that every machine of a job
 * reads. Any tiling is safe, whatever the place has become since: a range that is too large only takes
 * longer.
 */
import { createHash } from "node:crypto";
import { resolve } from "node:path";

import { usageError } from "../failures/errors.js";
import { shellWord } from "../failures/shell-word.js";
import { isTiling, type KeyRange, type Shard } from "../key-range.js";

export interface SplitRange extends KeyRange {
  /** How many names it held, or was thought to. */
  readonly objects: number;
}

export interface Split {
  readonly pail: "split";
  readonly version: 1;
  /** The place whose names these are, as a person types it; a directory from the root. */
  readonly place: string;
  /** ISO time. */
  readonly made: string;
  /** Whether `objects` was counted; otherwise it is estimated. */
  readonly counted: boolean;
  readonly ranges: readonly SplitRange[];
}

/** The lines of a split's file: JSON, one range a line. */
export function splitLines({ ranges, ...head }: Split): string[] {
  const facts = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  const last = ranges.length - 1;
  const lines = ranges.map(({ after, to, objects }, index) => {
    return `    ${JSON.stringify({ objects, after, to })}${index === last ? "" : ","}`;
  });
  return ["{", ...facts, '  "ranges": [', ...lines, "  ]", "}"];
}

/** Reads a split. Throws NotASplit for what is none, or whose ranges do not tile the names. */
export function parseSplit(text: string, name: string): Split {
  const refuse = (why: string) =>
    usageError(
      "NotASplit",
      `${name} is no split: ${why}`,
      "make one: pail split PLACE --into N > FILE",
    );
  let split: Partial<Split> | null;
  try {
    split = JSON.parse(text) as Partial<Split> | null;
  } catch {
    throw refuse("it is not JSON");
  }
  if (split?.pail !== "split" || typeof split.place !== "string")
    throw refuse("it does not say so");
  if (split.version !== 1) throw refuse("another version of pail made it");
  const { ranges } = split;
  const isRange = (range: unknown) => {
    const { after, to } = (range ?? {}) as Partial<Record<string, unknown>>;
    // Half of a character is in no name, and in no request.
    return [after, to].every(
      (end) => end === undefined || (typeof end === "string" && !/\p{Surrogate}/u.test(end)),
    );
  };
  if (!Array.isArray(ranges) || !ranges.every(isRange) || !isTiling(ranges)) {
    throw refuse("its ranges leave gaps or overlap");
  }
  return split as Split;
}

/**
 * The shard of a number from 1 on. Throws unless the split is of one of the places that are worked
 * on: its ranges are of the names below that place.
 */
export function shardOf(
  split: Split,
  number: number,
  places: readonly string[],
  file: string,
): Shard {
  const { place, ranges } = split;
  const plain = (text: string) => text.replace(/\/+$/, "");
  if (!places.some((text) => plain(text) === plain(place) || resolve(text) === place)) {
    throw usageError(
      "OtherSplit",
      `${file} splits ${place}, which is none of the places given`,
      `pail split ${shellWord(places[0] ?? "PLACE")} --into ${ranges.length} > FILE`,
    );
  }
  const { after, to } = ranges[number - 1]!;
  const ends = ranges.map((range) => range.to ?? null);
  const id = createHash("sha256")
    .update(JSON.stringify([place, ends]))
    .digest("hex")
    .slice(0, 16);
  return { number, of: ranges.length, after, to, split: id };
}
