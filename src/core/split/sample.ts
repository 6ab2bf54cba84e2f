/**
 * How keys are spread, from a few pages of their listing. Each page says how densely its
 * neighborhood is filled and where others may begin (../storage/split/ranges.ts), and the next ones are
 * asked for where the most is thought to be.
 */
import { createKeySpace } from "../storage/split/key-space.js";
import {
  appraise,
  countWithin,
  createRange,
  cut,
  PAGE,
  type Range,
  refine,
  remaining,
} from "../storage/split/ranges.js";
import { compareKeys } from "../storage/key-order.js";
import { type Run, runOf } from "../storage/run.js";
import type { BucketStorage } from "../storage/s3-types.js";

/** Pages asked for at once. */
const AT_ONCE = 32;

/** Stretches of keys that tile all below a prefix, in order, with about how many each holds. */
export async function sampleKeys(
  storage: BucketStorage,
  prefix: string,
  pages: number,
  signal: AbortSignal,
): Promise<{ readonly end: string | undefined; readonly weight: number }[]> {
  const space = createKeySpace();
  const ranges = [createRange("", undefined)];
  const seen = new Map<Range, number>();
  /** Ranges that nothing is known of, the widest of each kind first. */
  const unknown: Range[] = [];
  /** How far beyond the characters seen a range is to be looked at next. */
  const steps = new Map<Range, number>();
  let full = PAGE;

  const fetch = async ({ after: startAfter }: Range): Promise<Run> => {
    for await (const page of storage.list({ prefix, startAfter, pageSize: PAGE, signal })) {
      return runOf(page);
    }
    return runOf([]);
  };
  const take = (asked: Range, page: Run) => {
    for (let i = 0; i < page.length; i += 53) space.learn(page.keyAt(i));
    appraise(asked, page, space);
    let range = asked;
    let rest = page;
    for (;;) {
      const count = countWithin(rest, range);
      seen.set(range, count);
      if (count === rest.length && page.length >= full) {
        range.state = "open";
        const siblings = refine(range, rest, prefix.length, space, 0);
        ranges.splice(ranges.indexOf(range) + 1, 0, ...siblings);
        unknown.push(...siblings.reverse());
        return;
      }
      // The page says all about this range, and goes on to its neighbor.
      range.state = "done";
      const next = ranges[ranges.indexOf(range) + 1];
      rest = rest.slice(count);
      if (next?.state !== "waiting" || (rest.length < 2 && page.length >= full)) return;
      range = next;
    }
  };
  const weightOf = (range: Range) => {
    const open = range.state === "open" || range.state === "waiting";
    return (seen.get(range) ?? 0) + (open ? remaining(range, space) : 0);
  };
  /** The first range that nothing is known of, or else half of what most is thought to be in. */
  const pick = (): Range | undefined => {
    for (let next = unknown.shift(); next !== undefined; next = unknown.shift()) {
      if (next.state === "waiting") return next;
    }
    const open = ranges.filter(({ state }) => state === "open");
    const most = open.reduce<Range | undefined>(
      (best, range) =>
        best === undefined || remaining(range, space) > remaining(best, space) ? range : best,
      undefined,
    );
    const left = most === undefined ? 0 : remaining(most, space);
    const half = left > PAGE ? cut(most!, left / 2, space) : undefined;
    if (half !== undefined) return behind(most!, half);
    for (const range of open) {
      const beyond = leap(range);
      if (beyond !== undefined) return beyond;
    }
    return undefined;
  };
  const behind = (range: Range, rest: Range): Range => {
    ranges.splice(ranges.indexOf(range) + 1, 0, rest);
    return rest;
  };
  /** A guess some characters behind the last key, where those seen so far seem to be all. */
  const leap = (range: Range): Range | undefined => {
    const { end, model } = range;
    const step = steps.get(range) ?? 1;
    steps.set(range, Infinity);
    const at = model?.from.codePointAt(model.prefix.length);
    if (model === undefined || at === undefined || at + step >= 0x10ffff) return undefined;
    // Surrogates are no characters.
    const point = at + step >= 0xd800 && at + step < 0xe000 ? 0xe000 : at + step;
    const boundary = model.prefix + String.fromCodePoint(point);
    if (end !== undefined && compareKeys(boundary, end) >= 0) return undefined;
    const rest = createRange(boundary, end);
    range.end = boundary;
    steps.set(rest, step * 2);
    return behind(range, rest);
  };

  const first = ranges[0]!;
  const page = await fetch(first);
  full = Math.min(PAGE, page.length);
  take(first, page);
  for (let asked = 1; asked < pages;) {
    const batch: Range[] = [];
    while (batch.length < Math.min(AT_ONCE, pages - asked)) {
      const range = pick();
      if (range === undefined) break;
      range.state = "asked";
      batch.push(range);
    }
    if (batch.length === 0) break;
    asked += batch.length;
    const found = await Promise.all(batch.map(fetch));
    for (const [index, range] of batch.entries()) take(range, found[index]!);
  }
  return ranges.map((range) => ({ end: range.end, weight: weightOf(range) }));
}
