/** The rows of a bucket page: pages as they come, filtered and sorted without starting over. */
import { compareKeys } from "../../core/storage/key-order.js";
import type { Entry } from "../../core/storage/storage.js";
import { place } from "../layout.js";
import type { ObjectsPage, Sort } from "./types.js";

/** What a row is called: its key without the page's prefix. */
export function nameOf(page: { readonly prefix: string }, entry: Entry): string {
  return entry.key.slice(page.prefix.length);
}

/** Adds a page of a listing. */
export function addEntries(
  page: ObjectsPage,
  entries: readonly Entry[],
  height: number,
): ObjectsPage {
  const first = page.replacing;
  const all = first ? entries : [...page.all, ...entries];
  const passing = entries.filter((entry) => passes(page, entry));
  const compare = comparison(page.sort);
  const { rows, before } = first
    ? { rows: [...passing].sort(compare), before: 0 }
    : merge(page.rows, [...passing].sort(compare), compare, page.cursor);
  const next: ObjectsPage = { ...page, all, rows, replacing: false };
  // Rows that slid in above leave the row under the cursor where it is on the screen.
  const at = { cursor: page.cursor, top: page.cursor === 0 ? 0 : page.top + before };
  const index = page.cursor === 0 ? 0 : page.cursor + before;
  return seek({ ...next, ...place(at, index, rows.length, height) }, height);
}

/** Moves to the wanted key once it is there. */
function seek(page: ObjectsPage, height: number): ObjectsPage {
  if (page.wanted === undefined) return page;
  const index = page.rows.findIndex(({ key }) => key === page.wanted);
  if (index < 0) return page;
  return { ...page, wanted: undefined, ...place(page, index, page.rows.length, height) };
}

/** Shows the rows that hold `filter`, whatever their case; the cursor stays on its row if it can. */
export function setFilter(page: ObjectsPage, filter: string, height: number): ObjectsPage {
  return arrange({ ...page, filter }, height);
}

/** Sorts the rows; what comes later is sorted in. */
export function setSort(page: ObjectsPage, sort: Sort, height: number): ObjectsPage {
  return arrange({ ...page, sort }, height);
}

function arrange(page: ObjectsPage, height: number): ObjectsPage {
  const current = page.rows[page.cursor]?.key;
  const rows = page.all.filter((entry) => passes(page, entry)).sort(comparison(page.sort));
  const index = rows.findIndex(({ key }) => key === current);
  return { ...page, rows, anchor: undefined, ...place(page, index, rows.length, height) };
}

/** Takes keys away; the cursor moves to the neighbor of a row that went. */
export function removeKeys(
  page: ObjectsPage,
  gone: ReadonlySet<string>,
  height: number,
): ObjectsPage {
  const stays = ({ key }: Entry) => !gone.has(key);
  let above = 0;
  for (let row = 0; row < page.cursor; row++) if (gone.has(page.rows[row]!.key)) above++;
  const rows = page.rows.filter(stays);
  return {
    ...page,
    all: page.all.filter(stays),
    rows,
    marks: new Set([...page.marks].filter((key) => !gone.has(key))),
    leaving: new Map([...page.leaving].filter(([key]) => !gone.has(key))),
    anchor: undefined,
    ...place(page, page.cursor - above, rows.length, height),
  };
}

/** Marks or unmarks the row under the cursor, or the range that ends there. */
export function toggleMark(page: ObjectsPage): ObjectsPage {
  const entry = page.rows[page.cursor];
  if (entry === undefined) return page;
  const marks = new Set(page.marks);
  if (!marks.delete(entry.key)) marks.add(entry.key);
  return { ...page, marks };
}

/** Marks everything from the anchor to the cursor. */
export function markRange(page: ObjectsPage): ObjectsPage {
  if (page.anchor === undefined) return page;
  const [from, to] = [page.anchor, page.cursor].sort((a, b) => a - b);
  const keys = page.rows.slice(from, to! + 1).map(({ key }) => key);
  return { ...page, marks: new Set([...page.marks, ...keys]), anchor: undefined };
}

/** Marked rows, or the one under the cursor. */
export function chosen(page: ObjectsPage): readonly Entry[] {
  if (page.marks.size > 0) return page.all.filter(({ key }) => page.marks.has(key));
  const entry = page.rows[page.cursor];
  return entry === undefined ? [] : [entry];
}

function passes(page: ObjectsPage, entry: Entry): boolean {
  if (page.filter === "") return true;
  return nameOf(page, entry).toLowerCase().includes(page.filter.toLowerCase());
}

type Compare = (a: Entry, b: Entry) => number;

/** Prefixes first; then by column. Equal rows keep the order of the listing, which is by key. */
function comparison({ by, descending }: Sort): Compare {
  const sign = descending ? -1 : 1;
  const value = VALUES[by];
  return (a, b) => {
    if (a.type !== b.type) return a.type === "prefix" ? -1 : 1;
    if (by === "name") return descending ? -compareKeys(a.key, b.key) : 0;
    const [left, right] = [value(a), value(b)];
    return left === right ? 0 : left < right ? -sign : sign;
  };
}

const VALUES: Readonly<Record<Sort["by"], (entry: Entry) => number | string>> = {
  name: ({ key }) => key,
  size: (entry) => (entry.type === "object" ? entry.size : 0),
  modified: (entry) => (entry.type === "object" ? (entry.lastModified ?? 0) : 0),
  class: (entry) => (entry.type === "object" ? (entry.storageClass ?? "") : ""),
};

/** Merges two sorted lists, counting what of `added` lands before index `cursor` of `rows`. */
function merge(
  rows: readonly Entry[],
  added: readonly Entry[],
  compare: Compare,
  cursor: number,
): { rows: readonly Entry[]; before: number } {
  if (added.length === 0) return { rows, before: 0 };
  const merged: Entry[] = [];
  let before = 0;
  let next = 0;
  for (const [index, row] of rows.entries()) {
    while (next < added.length && compare(added[next]!, row) < 0) {
      merged.push(added[next++]!);
      if (index <= cursor) before++;
    }
    merged.push(row);
  }
  while (next < added.length) merged.push(added[next++]!);
  return { rows: merged, before };
}
