/** The rows of a bucket page: added as they come, filtered, sorted, taken away. */
import { compareKeys } from "../../../core/storage/key-order.js";
import type { Entry } from "../../../core/storage/storage.js";
import { place } from "../../layout.js";
import { NO_MARKS, isMarked, setMarks } from "../../list/marks.js";
import { append, emptyStore, entryAt, find, nameAt, without } from "../../list/store.js";
import {
  AT_ONCE,
  BY_NAME,
  type Sort,
  type View,
  arranging,
  emptyView,
  entryIn,
  extend,
  idAt,
  insert,
  isBehind,
  prune,
  rowCount,
  rowOf,
} from "../../list/view.js";
import { type Update, also } from "../../state/actions.js";
import { LOADING, pageWith, placeOf, putPage } from "../../state/stack.js";
import type { PrefixRef, State } from "../../state/types.js";
import { heightOf } from "../page.js";
import type { ObjectsPage } from "./state.js";

/** The name of a row: its key without the page's prefix. */
export function nameOf(page: { readonly prefix: string }, entry: Entry): string {
  return entry.key.slice(page.prefix.length);
}

/** The entry in a row; undefined where there is none. */
export function rowAt(page: ObjectsPage, row: number): Entry | undefined {
  return entryIn(page.store, page.view, row);
}

/** The entry under the cursor. */
export function under(page: ObjectsPage): Entry | undefined {
  return rowAt(page, page.cursor);
}

/** The page with another view, its cursor on the same entry, in the same place of the screen. */
function show(page: ObjectsPage, view: View, height: number, row?: number): ObjectsPage {
  const id = idAt(page.view, page.cursor);
  const index = row ?? (page.cursor === 0 ? 0 : rowOf(view, id));
  const moved = index - page.cursor;
  const at = { cursor: page.cursor, top: page.cursor === 0 ? 0 : page.top + moved };
  return {
    ...page,
    view,
    ...place(index < 0 ? page : at, index < 0 ? page.cursor : index, rowCount(view), height),
  };
}

/** Adds a page of a listing; the first one of a new listing replaces what was there. */
export function addEntries(
  page: ObjectsPage,
  entries: readonly Entry[],
  height: number,
  last = false,
): ObjectsPage {
  const { filter, sort } = arrangement(page);
  const before: ObjectsPage = page.replacing
    ? {
        ...page,
        store: emptyStore(page.prefix),
        view: emptyView(filter, sort),
        arranging: undefined,
        marks: NO_MARKS,
        leaving: page.leaving.map((rows) => ({ ...rows, before: Infinity })),
        replacing: false,
      }
    : page;
  const store = append(before.store, entries);
  const view = extend(store, before.view, last);
  const carried = carriedKeys(page, entries);
  const marked = entries.flatMap(({ key }, index) =>
    carried.has(key) ? [before.store.count + index] : [],
  );
  const marks = setMarks(store, before.marks, marked, true);
  const shown = page.replacing
    ? { ...before, view, ...place(page, page.cursor, rowCount(view), height) }
    : show(before, view, height);
  return seek({ ...shown, store, marks }, entries, before.store.count, height);
}

/** The keys that were marked in the listing before. */
function carriedKeys({ carried }: ObjectsPage, entries: readonly Entry[]): ReadonlySet<string> {
  if (carried === undefined) return new Set();
  const { store, marks } = carried;
  const ids = find(
    store,
    entries.map(({ key }) => key),
  ).filter((id) => isMarked(marks, id));
  return new Set(ids.map((id) => entryAt(store, id).key));
}

/** Moves to the wanted key once it is there. */
function seek(
  page: ObjectsPage,
  entries: readonly Entry[],
  first: number,
  height: number,
): ObjectsPage {
  if (page.wanted === undefined) return page;
  const index = entries.findIndex(({ key }) => key === page.wanted);
  const row = index < 0 ? -1 : rowOf(page.view, first + index);
  if (row < 0) return page;
  return { ...page, wanted: undefined, ...place(page, row, rowCount(page.view), height) };
}

/** The end of a listing: waiting rows are sorted in, marks on missing entries are dropped. */
export function endListing(page: ObjectsPage, height: number): ObjectsPage {
  const whole = addEntries(page, [], height, true);
  return { ...whole, carried: undefined, load: { type: "ready" }, wanted: undefined };
}

/** Filters and sorts anew: at once when there is little, else in the background. */
export function arrange(
  state: State,
  page: ObjectsPage,
  filter: string,
  sort: Sort,
  height: number,
): Update {
  if (page.store.count > AT_ONCE) {
    return [
      putPage(state, { ...page, arranging: { filter, sort } }),
      [{ type: "arrange", page: page.id, store: page.store, filter, sort }],
    ];
  }
  const steps = arranging(page.store, filter, sort);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return [putPage(state, arranged(page, step.value, height)), []];
  }
}

/** The page with a view that was made; entries that came meanwhile are added. */
export function arranged(page: ObjectsPage, view: View, height: number): ObjectsPage {
  const whole = extend(page.store, prune(page.store, view), true);
  return { ...show(page, whole, height), arranging: undefined, anchor: undefined };
}

/** Makes the view anew where so many entries wait that putting them in would hold up the keys. */
export function catchUp(state: State, id: number): Update {
  const page = pageWith(state, id);
  if (page?.type !== "objects" || page.arranging !== undefined) return [state, []];
  const { store, view } = page;
  if (!isBehind(store, view, page.load.type !== "loading")) return [state, []];
  return arrange(state, page, view.filter, view.sort, heightOf(state, page));
}

/** The page with its listing stopped; what was being arranged has ended with it, and is begun anew. */
export function stopListing(state: State, page: ObjectsPage): Update {
  const stopped: ObjectsPage = { ...page, load: { type: "stopped" }, arranging: undefined };
  const { filter, sort } = arrangement(page);
  const ended: Update = [putPage(state, stopped), [{ type: "stop", id: page.id }]];
  if (page.arranging === undefined && !isBehind(page.store, page.view, true)) return ended;
  return also(ended, (next) => arrange(next, stopped, filter, sort, heightOf(next, stopped)));
}

/** The filter and the order that the page has, or is going to have. */
export function arrangement(page: ObjectsPage): { readonly filter: string; readonly sort: Sort } {
  return page.arranging ?? page.view;
}

/** Takes keys away; the cursor moves to the neighbor of a row that went. */
export function removeKeys(
  page: ObjectsPage,
  gone: ReadonlySet<string>,
  height: number,
): ObjectsPage {
  const ids = find(page.store, gone);
  if (ids.length === 0) return page;
  const store = without(page.store, ids);
  const view = prune(store, page.view);
  const at = page.cursor;
  let above = 0;
  const dead = (row: number) => store.dead[idAt(page.view, row) ?? -1] === 1;
  for (let row = 0; row < at; row++) if (dead(row)) above++;
  const marks = setMarks(store, page.marks, ids, false);
  const row = at - above;
  return { ...show(page, view, height, row), store, marks, anchor: undefined };
}

/**
 * Puts each written object into its row, or into the row of its prefix; nothing else moves. Keys
 * that the running listing has yet to reach are left to it.
 */
export function addWritten(
  page: ObjectsPage,
  written: readonly Entry[],
  height: number,
): ObjectsPage {
  const rows = new Map<string, Entry>();
  for (const entry of written) {
    // Lists of search results and of versions stay as they were read.
    if (page.deep !== undefined || page.versions) break;
    if (!entry.key.startsWith(page.prefix + page.search) || ahead(page, entry.key)) continue;
    const slash = entry.key.indexOf("/", page.prefix.length);
    const below = slash >= 0;
    const key = below ? entry.key.slice(0, slash + 1) : entry.key;
    rows.set(key, below ? { type: "prefix", key } : entry);
  }
  const known = new Set(find(page.store, rows.keys()).map((id) => nameAt(page.store, id)));
  const old = new Set<string>();
  for (const [key, entry] of rows) {
    if (!known.has(key.slice(page.prefix.length))) continue;
    if (entry.type === "prefix") rows.delete(key);
    else old.add(key);
  }
  if (rows.size === 0) return page;
  const current = under(page)?.key;
  const kept = old.size > 0 ? removeKeys(page, old, height) : page;
  const first = kept.store.count;
  const store = append(kept.store, [...rows.values()]);
  const ids = Array.from({ length: rows.size }, (_, index) => first + index);
  const next = { ...show(kept, insert(store, kept.view, ids), height), store };
  return current !== undefined && old.has(current) ? moveToKey(next, current, height) : next;
}

/** Whether a running listing has yet to reach a key. */
function ahead({ load, store }: ObjectsPage, key: string): boolean {
  if (load.type !== "loading") return false;
  return store.count === 0 || compareKeys(entryAt(store, store.count - 1).key, key) < 0;
}

/** Puts the cursor on a key, or notes that it is wanted when it comes. */
export function moveToKey(page: ObjectsPage, key: string, height: number): ObjectsPage {
  const row = rowOf(page.view, find(page.store, [key])[0]);
  if (row < 0) return page.load.type === "loading" ? { ...page, wanted: key } : page;
  return { ...page, ...place(page, row, rowCount(page.view), height) };
}

/** Lists a place anew; rows stay until the first new page, the cursor stays on its key. */
export function relist(state: State, page: ObjectsPage, wanted?: string): Update {
  const next: ObjectsPage = {
    ...page,
    load: LOADING,
    replacing: true,
    stale: false,
    anchor: undefined,
    failures: new Map(),
    carried:
      page.versions || page.marks.count === 0
        ? undefined
        : { store: page.store, marks: page.marks },
    wanted: wanted ?? (page.cursor > 0 ? under(page)?.key : undefined),
  };
  return [
    putPage(state, next),
    [
      { type: "stop", id: page.id },
      { type: "list-objects", page: page.id, place: listedPlace(page), ...kindOf(page) },
      // What was being arranged was stopped too; the old rows stay for a while.
      ...(page.arranging
        ? [{ type: "arrange", page: page.id, store: page.store, ...page.arranging } as const]
        : []),
    ],
  ];
}

function kindOf({ deep, versions }: ObjectsPage) {
  return { deep, ...(versions ? { versions } : {}) };
}

function listedPlace(page: ObjectsPage): PrefixRef {
  return placeOf({ ...page, prefix: page.prefix + page.search });
}

/** Whether rows are in the order of the listing. */
export function isSorted({ by, descending }: Sort): boolean {
  return by !== BY_NAME.by || descending;
}
