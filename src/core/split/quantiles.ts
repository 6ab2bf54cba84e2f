/** Where to cut names into ranges of about as many, however many there are. */
import { compareKeys } from "../storage/key-order.js";

/** Names that are kept; of more, a sample of this size, each as likely as any other. */
const KEPT = 200_000;

/** Gathers names, in any order. */
export function gatherNames(kept = KEPT) {
  const sample: string[] = [];
  let count = 0;
  // The same names are cut in the same way whenever they are gathered.
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return {
    add: (name: string) => {
      count += 1;
      if (sample.length < kept) sample.push(name);
      else {
        const at = Math.floor(random() * count);
        if (at < kept) sample[at] = name;
      }
    },
    get count() {
      return count;
    },
    /** Boundaries, and how many names end up between them: exactly, unless they are of a sample. */
    cut: (into: number) => {
      sample.sort(compareKeys);
      const each = count / sample.length;
      return {
        ...cutWeighted(
          sample.map((end) => ({ end, weight: each })),
          into,
        ),
        counted: count === sample.length,
      };
    },
  };
}

/**
 * Cuts stretches of names, in order and each up to its `end`, into runs of about the same weight;
 * with fewer stretches than runs, the last runs are empty.
 */
export function cutWeighted(
  stretches: readonly { readonly end: string | undefined; readonly weight: number }[],
  into: number,
) {
  const total = stretches.reduce((sum, { weight }) => sum + weight, 0);
  const boundaries: string[] = [];
  const weights: number[] = [];
  let passed = 0;
  let before = 0;
  let last: string | undefined;
  for (const { end, weight } of stretches) {
    const next = before + (total - before) / (into - boundaries.length);
    // Before this stretch or behind it, whichever is nearer.
    if (last !== undefined && passed + weight / 2 > next && boundaries.length < into - 1) {
      boundaries.push(last);
      weights.push(passed - before);
      before = passed;
    }
    passed += weight;
    last = end;
  }
  weights.push(passed - before);
  const names = stretches.flatMap(({ end }) => end ?? []);
  while (boundaries.length < into - 1) {
    boundaries.push(names.at(-1) ?? "");
    weights.push(0);
  }
  return { boundaries, weights: weights.map(Math.round) };
}
