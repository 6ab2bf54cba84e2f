/**
 * The entries of a store that are shown, in their order: filtered, prefixes first, sorted. Later
 * entries are put in without starting over; long work is done in steps.
 */
import { compareKeys } from "../../core/storage/key-order.js";
import type { Entry } from "../../core/storage/storage.js";
import { type Ids, at, dataOf, idsOf, push } from "./ids.js";
import { fitness, isFuzzy, passing } from "./match.js";
import { type EntryStore, alive, column, entryAt, isPrefix, nameAt } from "./store.js";

export type SortBy = "name" | "size" | "modified" | "class";

export interface Sort {
  readonly by: SortBy;
  readonly descending: boolean;
}

export const BY_NAME: Sort = { by: "name", descending: false };

export interface View {
  readonly filter: string;
  readonly sort: Sort;
  /** The rows that fit the filter best come first, whatever their names. */
  readonly ranked: boolean;
  readonly prefixes: Ids;
  readonly objects: Ids;
  /** Entries of the store below this number have been looked at. */
  readonly seen: number;
}

/** Up to this many entries are arranged at once; more are arranged in steps. */
export const AT_ONCE = 2000;
/** Up to this many rows stand in the order of how well they fit. */
export const RANKED = 20_000;
/** Rows that are put in such an order at once: each is compared with a dozen others. */
const FITTED = 100;

/** A view of nothing yet. */
export function emptyView(filter = "", sort = BY_NAME): View {
  const ranked = ranks(filter, sort);
  return { filter, sort, ranked, prefixes: idsOf(), objects: idsOf(), seen: 0 };
}

/** Rows of a view. */
export function rowCount({ prefixes, objects }: View): number {
  return prefixes.length + objects.length;
}

/** The number of the entry in a row; undefined where there is no row. */
export function idAt({ prefixes, objects }: View, row: number): number | undefined {
  if (row < 0 || row >= prefixes.length + objects.length) return undefined;
  return row < prefixes.length ? at(prefixes, row) : at(objects, row - prefixes.length);
}

/** The numbers of the entries in rows; not to be changed. */
export function idsIn({ prefixes, objects }: View, from: number, to: number): Uint32Array {
  const [first, last] = [from - prefixes.length, to - prefixes.length];
  const above = dataOf(prefixes).subarray(from, to);
  const below = dataOf(objects).subarray(Math.max(0, first), Math.max(0, last));
  if (above.length === 0) return below;
  const ids = new Uint32Array(above.length + below.length);
  ids.set(above);
  ids.set(below, above.length);
  return ids;
}

/** The entry in a row; undefined where there is no row. */
export function entryIn(store: EntryStore, view: View, row: number): Entry | undefined {
  const id = idAt(view, row);
  return id === undefined ? undefined : entryAt(store, id);
}

/** The row of an entry; -1 when it is not shown. */
export function rowOf({ prefixes, objects }: View, id: number | undefined): number {
  if (id === undefined) return -1;
  const row = dataOf(prefixes).indexOf(id);
  if (row >= 0) return row;
  const later = dataOf(objects).indexOf(id);
  return later < 0 ? -1 : later + prefixes.length;
}

/**
 * The view with the entries that the store has got since. In the order of keys they are added at
 * the end; in another, they are merged in once they are an eighth of the old rows, or with `all`,
 * unless they are so many that the view is to be made anew (see `isBehind`).
 */
export function extend(store: EntryStore, view: View, all: boolean): View {
  const waiting = store.count - view.seen;
  if (waiting === 0) return view;
  const plain = isPlain(view.sort) && !view.ranked;
  if (!plain && !all && store.count > AT_ONCE && waiting < rowCount(view) / 8) return view;
  const found: number[] = [];
  const passes = passer(store, view.filter);
  for (let id = view.seen; id < store.count; id++) {
    if (alive(store, id) && passes(id)) found.push(id);
  }
  if (!plain && store.count > AT_ONCE && found.length > (view.ranked ? FITTED : AT_ONCE))
    return view;
  const grown = { ...view, seen: store.count };
  if (!plain) return put(store, unranked(store, grown, found.length), found);
  const [prefixes, objects] = apart(store, found);
  return {
    ...grown,
    prefixes: push(view.prefixes, prefixes),
    objects: push(view.objects, objects),
  };
}

/** Whether enough entries wait for a view to be made anew; without `all`, an eighth of its rows. */
export function isBehind(store: EntryStore, view: View, all: boolean): boolean {
  const waiting = store.count - view.seen;
  return waiting > 0 && (all || waiting >= rowCount(view) / 8);
}

/** The view with entries put where they belong: those that were written here, not listed. */
export function insert(store: EntryStore, view: View, ids: readonly number[]): View {
  const seen = Math.max(view.seen, ...ids.map((id) => id + 1));
  return put(store, { ...view, seen }, ids.filter(passer(store, view.filter)));
}

function put(store: EntryStore, view: View, ids: readonly number[]): View {
  const [prefixes, objects] = apart(store, ids);
  const compare = comparisons(store, view);
  return {
    ...view,
    prefixes: merge(view.prefixes, prefixes.sort(compare.prefixes), compare.prefixes),
    objects: merge(view.objects, objects.sort(compare.objects), compare.objects),
  };
}

/** Prefixes, and objects. */
function apart(store: EntryStore, ids: readonly number[]): readonly [number[], number[]] {
  const [prefixes, objects]: [number[], number[]] = [[], []];
  for (const id of ids) (isPrefix(store, id) ? prefixes : objects).push(id);
  return [prefixes, objects];
}

/** The view in the order of keys once it is too long for the best to come first. */
function unranked(store: EntryStore, view: View, more: number): View {
  if (!view.ranked || rowCount(view) + more <= RANKED) return view;
  const plain = { ...view, ranked: false };
  const compare = comparisons(store, plain);
  // Nearly all were listed in the order of keys; an array's sort is quick where there is order.
  const inOrder = (ids: Ids, by: Compare) =>
    idsOf(Uint32Array.from(Array.from(dataOf(ids).toSorted()).sort(by)));
  return {
    ...plain,
    prefixes: inOrder(view.prefixes, compare.prefixes),
    objects: inOrder(view.objects, compare.objects),
  };
}

/** The view without the entries that are gone from the store. */
export function prune(store: EntryStore, view: View): View {
  const stays = (ids: Ids) => {
    if (store.gone === 0) return ids;
    const data = dataOf(ids);
    const kept = new Uint32Array(data.length);
    let count = 0;
    // `some` and `filter` take a hundred milliseconds for a million.
    for (let row = 0; row < data.length; row++) {
      const id = data[row]!;
      if (store.dead[id] !== 1) kept[count++] = id;
    }
    return count === data.length ? ids : idsOf(kept, count);
  };
  return { ...view, prefixes: stays(view.prefixes), objects: stays(view.objects) };
}

/**
 * Makes a view anew; each `next` does a few milliseconds of it. The entries are those that the
 * store has now: `extend` adds those that come meanwhile.
 */
export function* arranging(store: EntryStore, filter: string, sort: Sort): Generator<void, View> {
  const prefixes = new Uint32Array(store.count);
  const objects = new Uint32Array(store.count);
  let [prefixCount, objectCount] = [0, 0];
  const passes = passer(store, filter);
  for (let id = 0; id < store.count; id++) {
    if (alive(store, id) && passes(id)) {
      if (isPrefix(store, id)) prefixes[prefixCount++] = id;
      else objects[objectCount++] = id;
    }
    if (id % STEP === STEP - 1) yield;
  }
  const found = [prefixes.subarray(0, prefixCount), objects.subarray(0, objectCount)] as const;
  const ranked = ranks(filter, sort) && prefixCount + objectCount <= RANKED;
  const fits = new Map<number, number>();
  for (const ids of ranked ? found : []) {
    for (const id of ids) {
      fits.set(id, fitness(filter, nameAt(store, id)));
      if (fits.size % FITTED === 0) yield;
    }
  }
  const compare = comparisons(store, { filter, sort, ranked }, fits);
  const sorted = {
    prefixes: yield* sorting(found[0], compare.prefixes),
    objects: yield* sorting(found[1], compare.objects),
  };
  return { filter, sort, ranked, ...sorted, seen: store.count };
}

/** Entries looked at in one step. */
const STEP = 2048;

type Compare = (a: number, b: number) => number;

/** Sorts by merging runs, a step at a time; a run in order already is left as it is. */
function* sorting(ids: Uint32Array, compare: Compare): Generator<void, Ids> {
  let from = ids.slice();
  for (let start = 0; start < from.length; start += STEP) {
    const run = from.subarray(start, start + STEP);
    // The sort of typed arrays takes as long for what is in order.
    if (run.some((id, at) => at > 0 && compare(run[at - 1]!, id) > 0)) run.sort(compare);
    yield;
  }
  for (let run = STEP; run < from.length; run *= 2) {
    const into = new Uint32Array(from.length);
    for (let start = 0; start < from.length; start += run * 2) {
      const middle = Math.min(start + run, from.length);
      const end = Math.min(start + run * 2, from.length);
      // Runs that follow on each other already are the rule: a listing comes in order.
      if (middle === end || compare(from[middle - 1]!, from[middle]!) <= 0) {
        into.set(from.subarray(start, end), start);
        continue;
      }
      let [left, right] = [start, middle];
      for (let out = start; out < end; out++) {
        const first = right >= end || (left < middle && compare(from[left]!, from[right]!) <= 0);
        into[out] = from[first ? left++ : right++]!;
        if (out % STEP === STEP - 1) yield;
      }
    }
    from = into;
  }
  return idsOf(from);
}

/** Whether an entry passes the filter. */
function passer(store: EntryStore, filter: string): (id: number) => boolean {
  if (filter === "") return () => true;
  const passes = passing(filter);
  return (id) => passes(nameAt(store, id));
}

/** Whether what fits the filter best is to come first: another order was asked for by name. */
function ranks(filter: string, sort: Sort): boolean {
  return isFuzzy(filter) && isPlain(sort);
}

function isPlain({ by, descending }: Sort): boolean {
  return by === "name" && !descending;
}

/**
 * The orders of a view. Equal rows are in the order of keys, whichever way they are sorted; prefixes
 * have nothing but a name to be sorted by.
 */
function comparisons(
  store: EntryStore,
  { filter, sort, ranked }: Pick<View, "filter" | "sort" | "ranked">,
  known = new Map<number, number>(),
): { readonly prefixes: Compare; readonly objects: Compare } {
  const byKey: Compare = (a, b) => compareKeys(nameAt(store, a), nameAt(store, b)) || a - b;
  const { by, descending } = sort;
  if (ranked) {
    const value = (id: number) => {
      let fit = known.get(id);
      if (fit === undefined) known.set(id, (fit = fitness(filter, nameAt(store, id))));
      return fit;
    };
    const best: Compare = (a, b) => value(b) - value(a) || byKey(a, b);
    return { prefixes: best, objects: best };
  }
  if (by === "name") {
    const byName: Compare = descending ? (a, b) => byKey(b, a) : byKey;
    return { prefixes: byName, objects: byName };
  }
  const values = column(store, by);
  const sign = descending ? -1 : 1;
  // An unknown value counts as 0.
  const value = (id: number) => values[id] || 0;
  return { prefixes: byKey, objects: (a, b) => sign * (value(a) - value(b)) || byKey(a, b) };
}

function merge(ids: Ids, added: readonly number[], compare: Compare): Ids {
  if (added.length === 0) return ids;
  const old = dataOf(ids);
  const merged = new Uint32Array(old.length + added.length);
  let [from, out] = [0, 0];
  for (const id of added) {
    const place = upperBound(old, id, from, compare);
    merged.set(old.subarray(from, place), out);
    out += place - from;
    merged[out++] = id;
    from = place;
  }
  merged.set(old.subarray(from), out);
  return idsOf(merged);
}

/** The first place from `low` on whose entry comes after `id`. */
function upperBound(ids: Uint32Array, id: number, low: number, compare: Compare): number {
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(ids[middle]!, id) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
