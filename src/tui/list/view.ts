/**
 * The entries of a store that are shown, in their order: filtered, prefixes first, sorted. Later
 * entries are put in without starting over; long work is done in steps.
 */
import { compareKeys } from "../../core/storage/key-order.js";
import type { Entry } from "../../core/storage/storage.js";
import { type Ids, at, dataOf, idsOf, push } from "./ids.js";
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
  readonly prefixes: Ids;
  readonly objects: Ids;
  /** Entries of the store below this number have been looked at. */
  readonly seen: number;
}

/** Up to this many entries are arranged at once; more are arranged in steps. */
export const AT_ONCE = 20_000;

/** A view of nothing yet. */
export function emptyView(filter = "", sort = BY_NAME): View {
  return { filter, sort, prefixes: idsOf(), objects: idsOf(), seen: 0 };
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
 * the end; in another, they are merged in once they are an eighth of the old rows, or with `all`.
 */
export function extend(store: EntryStore, view: View, all: boolean): View {
  const waiting = store.count - view.seen;
  if (waiting === 0) return view;
  const { by, descending } = view.sort;
  const plain = by === "name" && !descending;
  if (!plain && !all && store.count > AT_ONCE && waiting < rowCount(view) / 8) return view;
  const passing = passes(store, view.filter);
  const prefixes: number[] = [];
  const objects: number[] = [];
  for (let id = view.seen; id < store.count; id++) {
    if (alive(store, id) && passing(id)) (isPrefix(store, id) ? prefixes : objects).push(id);
  }
  const grown = { ...view, seen: store.count };
  if (plain) {
    return {
      ...grown,
      prefixes: push(view.prefixes, prefixes),
      objects: push(view.objects, objects),
    };
  }
  const byName = comparison(store, { by: "name", descending: by === "name" && descending });
  const compare = comparison(store, view.sort);
  return {
    ...grown,
    prefixes: merge(view.prefixes, prefixes.sort(byName), byName),
    objects: merge(view.objects, objects.sort(compare), compare),
  };
}

/** The view with entries put where they belong: those that were written here, not listed. */
export function insert(store: EntryStore, view: View, ids: readonly number[]): View {
  const passing = ids.filter(passes(store, view.filter));
  const put = (into: Ids, added: number[], sort: Sort) => {
    const compare = comparison(store, sort);
    return merge(into, added.sort(compare), compare);
  };
  return {
    ...view,
    prefixes: put(
      view.prefixes,
      passing.filter((id) => isPrefix(store, id)),
      view.sort.by === "name" ? view.sort : BY_NAME,
    ),
    objects: put(
      view.objects,
      passing.filter((id) => !isPrefix(store, id)),
      view.sort,
    ),
    seen: Math.max(view.seen, ...ids.map((id) => id + 1)),
  };
}

/** The view without the entries that are gone from the store. */
export function prune(store: EntryStore, view: View): View {
  const stays = (ids: Ids) => {
    const data = dataOf(ids);
    const kept = data.filter((id) => alive(store, id));
    return kept.length === data.length ? ids : idsOf(kept);
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
  const passing = passes(store, filter);
  for (let id = 0; id < store.count; id++) {
    if (alive(store, id) && passing(id)) {
      if (isPrefix(store, id)) prefixes[prefixCount++] = id;
      else objects[objectCount++] = id;
    }
    if (id % STEP === STEP - 1) yield;
  }
  const byName = comparison(store, {
    by: "name",
    descending: sort.by === "name" && sort.descending,
  });
  const sorted = {
    prefixes: yield* sorting(prefixes.subarray(0, prefixCount), byName),
    objects: yield* sorting(objects.subarray(0, objectCount), comparison(store, sort)),
  };
  return { filter, sort, ...sorted, seen: store.count };
}

/** Entries looked at in one step. */
const STEP = 8192;

type Compare = (a: number, b: number) => number;

/** Sorts by merging runs, a step at a time; a run in order already is left as it is. */
function* sorting(ids: Uint32Array, compare: Compare): Generator<void, Ids> {
  let from = ids.slice();
  for (let start = 0; start < from.length; start += STEP) {
    from.subarray(start, start + STEP).sort(compare);
    yield;
  }
  for (let run = STEP; run < from.length; run *= 2) {
    const into = new Uint32Array(from.length);
    for (let start = 0; start < from.length; start += run * 2) {
      const middle = Math.min(start + run, from.length);
      const end = Math.min(start + run * 2, from.length);
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

/** Whether an entry passes the filter: its name holds the text, whatever the case. */
function passes(store: EntryStore, filter: string): (id: number) => boolean {
  if (filter === "") return () => true;
  const wanted = filter.toLowerCase();
  return (id) => nameAt(store, id).toLowerCase().includes(wanted);
}

/** Equal rows are in the order of keys, whichever way they are sorted. */
function comparison(store: EntryStore, { by, descending }: Sort): Compare {
  const byKey: Compare = (a, b) => compareKeys(nameAt(store, a), nameAt(store, b)) || a - b;
  if (by === "name") return descending ? (a, b) => byKey(b, a) : byKey;
  const values = column(store, by);
  const sign = descending ? -1 : 1;
  // An unknown value counts as 0.
  const value = (id: number) => values[id] || 0;
  return (a, b) => sign * (value(a) - value(b)) || byKey(a, b);
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
