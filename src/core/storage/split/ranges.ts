/**
 * The ranges a listing is split into. They tile the key space: a range holds the keys after `after`
 * up to and including `end`, so a boundary belongs to exactly one of them and no key is listed
 * twice or never, whatever the boundaries are.
 */
import { compareKeys } from "../key-order.js";
import { keptKey, type Run } from "../run.js";
import { commonLength, type KeySpace, siblingsOf } from "./key-space.js";

export interface Range {
  /** Exclusive; moves on with each page. */
  after: string;
  /** Inclusive; undefined for the last range. */
  end: string | undefined;
  /** Continues the listing of this range; undefined before its first page. */
  cursor: Readonly<Record<string, string>> | undefined;
  /** `waiting` has been asked for nothing yet; `open` has had a page and wants another. */
  state: "waiting" | "asked" | "open" | "done";
  /** Pages not handed out yet, in order. */
  readonly pages: Run[];
  error?: unknown;
  model: Model | undefined;
  /** Where its model lies in the space, until that learns. */
  spot?: { readonly age: number; readonly model: Model; readonly end: string | undefined } & Spot;
}

interface Spot {
  readonly position: number;
  readonly limit: number;
}

/** A guess at a range: how densely it is filled among the keys that begin with `prefix`. */
interface Model {
  readonly prefix: string;
  /** A key of the range: the page under way begins behind it. */
  readonly from: string;
  /** Keys by unit of position. It depends on the space, which learns. */
  readonly density: (space: KeySpace) => number;
  /** Taken from a neighbour, not from keys of its own. */
  readonly guessed: boolean;
}

/** The most keys that a service gives in one answer. */
export const PAGE = 1000;

/** Bytes; a service may refuse to start after what cannot be a key. */
const LONGEST_KEY = 1024;

export function createRange(after: string, end: string | undefined): Range {
  return { after, end, cursor: undefined, state: "waiting", pages: [], model: undefined };
}

/** How many keys are thought to lie beyond the page that is under way; 0 when nothing is known. */
export function remaining(range: Range, space: KeySpace): number {
  const view = viewOf(range, space);
  return view === undefined ? 0 : Math.max(0, (view.limit - view.position) * view.density);
}

/**
 * Cuts a range at about `keys` keys beyond the page that is under way; the new range is what lies
 * behind. Undefined when no key can be named there.
 */
export function cut(range: Range, keys: number, space: KeySpace): Range | undefined {
  const { model, after, end } = range;
  const view = viewOf(range, space);
  if (model === undefined || view === undefined) return undefined;
  const at = view.position + keys / view.density;
  const boundary = space.keyAt(at, model.prefix);
  const fits =
    at < view.limit &&
    Buffer.byteLength(boundary) <= LONGEST_KEY &&
    compareKeys(boundary, after) > 0 &&
    (end === undefined || compareKeys(boundary, end) < 0);
  if (!fits) {
    range.model = undefined;
    return undefined;
  }
  const behind = createRange(boundary, end);
  // A guess that is not sure is held against an answer before the next cut.
  if (!model.guessed || space.isSure(model.prefix)) behind.model = { ...model, from: boundary };
  range.end = boundary;
  return behind;
}

/** The model of a range in numbers. */
function viewOf(range: Range, space: KeySpace) {
  const { model, end } = range;
  if (model === undefined) return undefined;
  const density = model.density(space);
  if (!(density > 0)) return undefined;
  let { spot } = range;
  // Every range that is under way is looked at before each request.
  if (spot?.age !== space.age || spot.model !== model || spot.end !== end) {
    const { prefix, from } = model;
    const ends = end !== undefined && end.startsWith(prefix);
    const position = space.positionOf(from, prefix.length);
    const limit = ends ? space.positionOf(end, prefix.length) : 1;
    spot = range.spot = { age: space.age, model, end, position, limit };
  }
  return { density, position: spot.position + PAGE / density, limit: spot.limit };
}

/**
 * Learns from a page of a range that goes on. Returns the ranges that its keys tell of: for each
 * character in which they agree, the keys after everything that begins so. A range that seems to have
 * fewer than `least` keys is left to the one before it: its end would cost a request. `base` is how
 * many code units every key of the listing shares.
 */
export function refine(
  range: Range,
  page: Run,
  base: number,
  space: KeySpace,
  least = PAGE,
): Range[] {
  const first = keptKey(page, 0);
  const last = keptKey(page, page.length - 1);
  const shared = commonLength(first, last);
  const agreed = range.end === undefined ? base : Math.max(base, commonLength(last, range.end));
  const { length } = page;
  let width = { age: -1, value: 0 };
  const seen = (known: KeySpace) => {
    const { age } = known;
    if (width.age !== age) {
      const value = known.positionOf(last, shared) - known.positionOf(first, shared);
      width = { age, value };
    }
    return length / width.value;
  };
  /** The beginnings of the last key that are shorter than what the page shares, the longest first. */
  const parents: string[] = [];
  const model = (depth: number, from: string): Model => {
    const above = parents.slice();
    const density = (known: KeySpace) =>
      above.reduce((count, prefix) => count * known.branches(prefix), seen(known));
    return { prefix: last.slice(0, depth), from, density, guessed: depth < shared };
  };
  range.model = undefined;
  const siblings: Range[] = [];
  let behind = range;
  let passed = 0;
  let density = seen(space);
  for (const { boundary, parent, depth } of siblingsOf(last, agreed, shared)) {
    const { end } = behind;
    if (end !== undefined && compareKeys(boundary, end) >= 0) break;
    const left = density * (1 - space.positionOf(last, depth));
    const isOwn = end === undefined || left - passed >= least;
    if (isOwn) range.model ??= model(depth, last);
    parents.push(last.slice(0, parent));
    density *= space.branches(parents.at(-1)!);
    if (!isOwn) continue;
    passed = left;
    behind.end = boundary;
    behind = createRange(boundary, end);
    // The next prefix of this kind is thought to hold as much as the one just seen.
    if (siblings.length === 0) behind.model = model(parent, boundary);
    siblings.push(behind);
  }
  range.model ??= model(parents.at(-1)?.length ?? shared, last);
  return siblings;
}

/** Holds what was guessed of a range against an answer, all of it. */
export function appraise({ model, after }: Range, answer: Run, space: KeySpace): void {
  if (model?.guessed !== true || answer.length === 0) return;
  const { prefix } = model;
  const last = answer.keyAt(answer.length - 1);
  const inside = last.startsWith(prefix);
  const to = inside ? space.positionOf(last, prefix.length) : 1;
  const from = after.startsWith(prefix) ? space.positionOf(after, prefix.length) : 0;
  const before = firstNot(answer, (key) => compareKeys(key, prefix) < 0);
  const count = firstNot(answer, (key) => key.startsWith(prefix), before) - before;
  if (to > from) space.correct(prefix, count / (to - from) / model.density(space));
}

/** How many entries at the beginning of a page belong to a range. */
export function countWithin(page: Run, { end }: Range): number {
  if (end === undefined || page.length === 0) return page.length;
  if (compareKeys(page.keyAt(page.length - 1), end) <= 0) return page.length;
  return firstNot(page, (key) => compareKeys(key, end) <= 0);
}

/** Where the keys begin that are not so, from `from` on, where those that are come first. */
function firstNot(run: Run, isSo: (key: string) => boolean, from = 0): number {
  let low = from;
  let high = run.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(run.keyAt(middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}
