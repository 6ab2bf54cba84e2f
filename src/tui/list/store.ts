/**
 * The entries of one listing, in columns: names in one string a chunk, numbers in typed arrays. A
 * million entries take tens of megabytes, and adding a page copies nothing that is there. A store
 * is a value: a change returns another store, which shares all chunks with the first.
 */
import { compareKeys } from "../../core/storage/key-order.js";
import type { Entry } from "../../core/storage/storage.js";

/** Entries that came together. Entry `first + n` is the chunk's entry `n`. */
interface Chunk {
  readonly first: number;
  /** The keys without the store's prefix, one after the other. */
  readonly names: string;
  /** Whether each name comes after the one before it, or is the same. */
  readonly inOrder: boolean;
  /** Where each name ends in `names`. */
  readonly ends: Uint32Array;
  readonly sizes: Float64Array;
  /** The sum of the sizes. */
  readonly bytes: number;
  /** Milliseconds since the epoch; NaN when unknown. */
  readonly times: Float64Array;
  /** 0 for a prefix, else 1 + the place of its storage class in `classes`. */
  readonly kinds: Uint8Array;
  /** Only in a listing of versions. */
  readonly versions?: readonly VersionMark[] | undefined;
}

interface VersionMark {
  readonly versionId?: string | undefined;
  readonly isLatest?: boolean | undefined;
  readonly isDeleteMarker?: boolean | undefined;
}

export interface EntryStore {
  /** The beginning of every key; stored once. */
  readonly prefix: string;
  readonly chunks: readonly Chunk[];
  /** Entries ever added; their numbers are below this. */
  readonly count: number;
  readonly classes: readonly string[];
  /** 1 for each entry that was taken out; shorter than `count` when later ones are all there. */
  readonly dead: Uint8Array;
  readonly gone: number;
}

/** A store without entries. */
export function emptyStore(prefix: string): EntryStore {
  return { prefix, chunks: [], count: 0, classes: [""], dead: new Uint8Array(0), gone: 0 };
}

/** How many entries are there. */
export function entryCount(store: EntryStore): number {
  return store.count - store.gone;
}

/** The store with a page of a listing added; every key begins with the store's prefix. */
export function append(store: EntryStore, entries: readonly Entry[]): EntryStore {
  if (entries.length === 0) return store;
  const classes = [...store.classes];
  const names: string[] = [];
  const ends = new Uint32Array(entries.length);
  const sizes = new Float64Array(entries.length);
  const times = new Float64Array(entries.length);
  const kinds = new Uint8Array(entries.length);
  let end = 0;
  let versioned = false;
  for (const [index, entry] of entries.entries()) {
    const name = entry.key.slice(store.prefix.length);
    names.push(name);
    ends[index] = end += name.length;
    times[index] = Number.NaN;
    if (entry.type === "prefix") continue;
    sizes[index] = entry.size;
    times[index] = entry.lastModified ?? Number.NaN;
    kinds[index] = 1 + classNumber(classes, entry.storageClass ?? "");
    versioned ||= entry.versionId !== undefined || entry.isDeleteMarker === true;
  }
  const chunk: Chunk = {
    first: store.count,
    // Joined, so that no name keeps the page of XML alive that it was cut from.
    names: names.join(""),
    inOrder: names.every((name, at) => at === 0 || compareKeys(names[at - 1]!, name) <= 0),
    ends,
    sizes,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    times,
    kinds,
    versions: versioned ? entries.map(versionMark) : undefined,
  };
  return { ...store, chunks: [...store.chunks, chunk], count: store.count + ends.length, classes };
}

/** Services have a handful of classes; those after the 250th are not told apart. */
function classNumber(classes: string[], name: string): number {
  const known = classes.indexOf(name);
  if (known >= 0) return known;
  return classes.length > 250 ? 0 : classes.push(name) - 1;
}

function versionMark(entry: Entry): VersionMark {
  if (entry.type === "prefix") return {};
  const { versionId, isLatest, isDeleteMarker } = entry;
  return { versionId, isLatest, isDeleteMarker };
}

function chunkOf({ chunks }: EntryStore, id: number): Chunk {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (chunks[middle]!.first <= id) low = middle;
    else high = middle - 1;
  }
  return chunks[low]!;
}

/** The key of an entry without the store's prefix. */
export function nameAt(store: EntryStore, id: number): string {
  const chunk = chunkOf(store, id);
  return nameIn(chunk, id - chunk.first);
}

function nameIn({ names, ends }: Chunk, at: number): string {
  return names.slice(at === 0 ? 0 : ends[at - 1], ends[at]);
}

/** Whether an entry is a prefix. */
export function isPrefix(store: EntryStore, id: number): boolean {
  const { first, kinds } = chunkOf(store, id);
  return kinds[id - first] === 0;
}

/** How many entries have their bit set, and their bytes; a prefix has none. */
export function sizesOf(
  { chunks }: EntryStore,
  bits: Uint8Array,
): { count: number; bytes: number } {
  let [count, bytes] = [0, 0];
  for (const { first, sizes, bytes: all } of chunks) {
    const own = bits.subarray(first, first + sizes.length);
    if (!own.includes(0)) {
      count += own.length;
      bytes += all;
      continue;
    }
    for (let at = own.indexOf(1); at >= 0; at = own.indexOf(1, at + 1)) {
      count++;
      bytes += sizes[at]!;
    }
  }
  return { count, bytes };
}

/** A column as numbers by entry, for sorting. */
export function column(store: EntryStore, by: "size" | "modified" | "class"): Float64Array {
  const values = new Float64Array(store.count);
  const ranks = by === "class" ? classRanks(store.classes) : [];
  for (const { first, sizes, times, kinds } of store.chunks) {
    if (by === "size") values.set(sizes, first);
    else if (by === "modified") values.set(times, first);
    else for (const [at, kind] of kinds.entries()) values[first + at] = ranks[kind - 1] ?? 0;
  }
  return values;
}

function classRanks(classes: readonly string[]): number[] {
  const sorted = [...classes].sort();
  return classes.map((name) => sorted.indexOf(name));
}

/** An entry as the listing had it, but for its ETag. */
export function entryAt(store: EntryStore, id: number): Entry {
  const { first, sizes, times, kinds, versions } = chunkOf(store, id);
  const at = id - first;
  const key = store.prefix + nameAt(store, id);
  const kind = kinds[at]!;
  if (kind === 0) return { type: "prefix", key };
  const modified = times[at]!;
  return {
    type: "object",
    key,
    size: sizes[at]!,
    lastModified: Number.isNaN(modified) ? undefined : modified,
    storageClass: store.classes[kind - 1] || undefined,
    ...versions?.[at],
  };
}

/** Storage classes that objects of the store have, without the unnamed one. */
export function namedClasses({ classes }: EntryStore): readonly string[] {
  return classes.filter((name) => name !== "");
}

/** Whether an entry is there still. */
export function alive({ dead }: EntryStore, id: number): boolean {
  return dead[id] !== 1;
}

/** The store without entries; their numbers are not used again. */
export function without(store: EntryStore, ids: Iterable<number>): EntryStore {
  const dead = new Uint8Array(store.count);
  dead.set(store.dead);
  let { gone } = store;
  for (const id of ids) {
    if (dead[id] === 1) continue;
    dead[id] = 1;
    gone++;
  }
  return gone === store.gone ? store : { ...store, dead, gone };
}

/** Whether some entries are versions. */
export function versionsIn({ chunks }: EntryStore): boolean {
  return chunks.some(({ versions }) => versions !== undefined);
}

/**
 * The entries with these keys. A chunk in the order of keys, as a listing has them, is read only if
 * some of the keys may be in it; another is read through.
 */
export function find(store: EntryStore, keys: Iterable<string>): number[] {
  const names = Array.from(keys)
    .filter((key) => key.startsWith(store.prefix))
    .map((key) => key.slice(store.prefix.length))
    .sort(compareKeys);
  const wanted = new Set(names);
  const found: number[] = [];
  for (const chunk of store.chunks) {
    const { first, ends, inOrder } = chunk;
    const last = ends.length - 1;
    if (inOrder) {
      const next = names[lowerBound(names, nameIn(chunk, 0))];
      if (next === undefined || compareKeys(next, nameIn(chunk, last)) > 0) continue;
    }
    for (let at = 0; at <= last; at++) {
      if (wanted.has(nameIn(chunk, at)) && alive(store, first + at)) found.push(first + at);
    }
  }
  return found;
}

/** The place of the first name that is not before another, in names in the order of keys. */
function lowerBound(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(names[middle]!, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
