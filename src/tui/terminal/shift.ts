/** Finds lines that only moved, so that scrolling a list costs two lines instead of a screenful. */

export interface Shift {
  /** First and last row of the region that scrolls, from 0. */
  readonly top: number;
  readonly bottom: number;
  /** Rows up (positive) or down (negative). */
  readonly by: number;
}

/** Wheel steps are three rows; further than these, painting anew is as good. */
const STEPS = [1, -1, 2, -2, 3, -3, 4, -4, 5, -5];
/** Fewer lines than this are not worth the three sequences a scroll takes. */
const SHORTEST = 4;

/** A shift that saves most of the lines that changed, else the one that saves most, if it is enough. */
export function findShift(before: readonly string[], after: readonly string[]): Shift | undefined {
  if (before.length !== after.length) return undefined;
  const changed = after.filter((line, row) => line !== before[row]).length;
  if (changed < SHORTEST) return undefined;
  let best: Shift | undefined;
  let saved = SHORTEST - 1;
  for (const by of STEPS) {
    const run = longestRun(before, after, by);
    if (run.saved <= saved) continue;
    saved = run.saved;
    best = {
      top: Math.min(run.start, run.start + by),
      bottom: Math.max(run.end, run.end + by),
      by,
    };
    if (saved > changed / 2) break;
  }
  return best;
}

/** The longest stretch where `after[row]` is `before[row + by]`; `saved` counts changed lines. */
function longestRun(before: readonly string[], after: readonly string[], by: number) {
  let best = { start: 0, end: -1, saved: 0 };
  let start = 0;
  let saved = 0;
  for (let row = 0; row < after.length; row++) {
    const line = after[row]!;
    if (line !== before[row + by]) {
      start = row + 1;
      saved = 0;
      continue;
    }
    if (line !== before[row]) saved++;
    if (saved > best.saved) best = { start, end: row, saved };
  }
  return best;
}
