/** A plan in a few lines: by top prefix what is new, changed, gone and the same. Pure. */

import { LOOKS } from "../operations/if-exists.js";
import { partCount, partSizeFor, SINGLE_PUT_LIMIT } from "../transfer/sizes.js";

/** The outcome for a name. */
export type Change = "new" | "changed" | "gone" | "same" | "left";

export interface Tally {
  readonly items: number;
  readonly bytes: number;
}

export type Tallies = Readonly<Record<Change, Tally>>;

export interface Group {
  /** `photos/`, or empty for what is at the root. */
  readonly prefix: string;
  readonly tallies: Tallies;
}

export interface PlanSummary {
  readonly total: Tallies;
  /** Those with the most changes, by name; the last may be of the rest. */
  readonly groups: readonly Group[];
  /** About how many requests the changes take; of the second kind where removals go one by one. */
  readonly requests: number;
  readonly requestsAtMost: number;
  /** How many groups the last one, the rest, stands for; 0 when none is left out. */
  readonly folded: number;
}

/** Prefixes that are told apart; a bucket may have a million of them. */
const KEPT = 10_000;

type Counts = Record<Change, { items: number; bytes: number }>;

function zero(): Counts {
  const none = () => ({ items: 0, bytes: 0 });
  return { new: none(), changed: none(), gone: none(), same: none(), left: none() };
}

/** Gathers what happens to names, of a bucket or on the disk, into a summary of constant size. */
export function startSummary(target: "bucket" | "path") {
  const total = zero();
  const groups = new Map<string, Counts>();
  const rest = zero();
  let beyond = 0;
  let requests = 0;
  let last = "";
  return {
    add: (name: string, change: Change, size: number) => {
      requests += requestsFor(change, size, target);
      const prefix = name.slice(0, name.indexOf("/") + 1);
      let group = groups.get(prefix);
      if (group === undefined && groups.size < KEPT) groups.set(prefix, (group = zero()));
      // Names come in order, so a prefix that has no place is counted once.
      if (group === undefined && prefix !== last) beyond += 1;
      last = prefix;
      add(total[change], 1, size);
      add((group ?? rest)[change], 1, size);
    },
    /** At most `lines` groups. */
    end: (lines: number): PlanSummary => {
      const ranked = [...groups].sort(([, a], [, b]) => changes(b) - changes(a));
      const shown = ranked.slice(0, beyond === 0 && ranked.length <= lines ? lines : lines - 1);
      const hidden = ranked.slice(shown.length);
      for (const [, counts] of hidden) merge(rest, counts);
      const folded = hidden.length + beyond;
      const named = shown
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([prefix, tallies]): Group => ({ prefix, tallies }));
      const gone = target === "bucket" ? total.gone.items : 0;
      if (target === "bucket") requests += Math.min(LOOKS, total.new.items);
      return {
        total,
        requests: requests + Math.min(2 * gone, 2 + Math.ceil(gone / REMOVED_AT_ONCE)),
        requestsAtMost: requests + 2 * gone,
        groups: folded === 0 ? named : [...named, { prefix: "", tallies: rest }],
        folded,
      };
    },
  };
}

/** Objects removed by one request, once a look and a trial have shown that the service pins them. */
const REMOVED_AT_ONCE = 1_000;

/**
 * A replacement of an object first looks whether it is still as it was seen; for the first new ones a
 * look is counted at the end. Removals go together.
 */
function requestsFor(change: Change, size: number, target: "bucket" | "path"): number {
  if (change !== "new" && change !== "changed") return 0;
  const parts = size > SINGLE_PUT_LIMIT ? partCount(size, partSizeFor(size)) + 2 : 1;
  return change === "changed" && target === "bucket" ? parts + 1 : parts;
}

function changes({ new: added, changed, gone, left }: Tallies): number {
  return added.items + changed.items + gone.items + left.items;
}

function merge(into: Counts, from: Counts): void {
  for (const change of Object.keys(into) as Change[]) {
    add(into[change], from[change].items, from[change].bytes);
  }
}

function add(count: Counts[Change], items: number, bytes: number): void {
  count.items += items;
  count.bytes += bytes;
}
