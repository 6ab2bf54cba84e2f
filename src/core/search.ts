/** A bounded search over a listing. */
import { type Bounds, isWithin } from "./filter.js";
import { matchesGlob } from "./glob.js";
import type { BucketStorage } from "./storage/s3-types.js";
import type { ObjectEntry } from "./storage/storage.js";

export interface SearchQuery extends Bounds {
  /** Only below this prefix. Default: everywhere. */
  readonly prefix?: string | undefined;
  /** Glob (filter.ts) over what follows the prefix's last `/` in the key. Default: any. */
  readonly glob?: string | undefined;
}

export type SortOrder = keyof typeof ORDERS;

type Order = (a: ObjectEntry, b: ObjectEntry) => number;

/** An object without a time comes last. */
const ORDERS = {
  newest: (a, b) => (b.lastModified ?? -1) - (a.lastModified ?? -1),
  oldest: (a, b) => (a.lastModified ?? Infinity) - (b.lastModified ?? Infinity),
  largest: (a, b) => b.size - a.size,
  smallest: (a, b) => a.size - b.size,
} as const satisfies Record<string, Order>;

export const SORT_ORDERS = Object.keys(ORDERS) as [SortOrder, ...SortOrder[]];

export interface SearchOptions {
  /** Matches at most. Default: all. */
  readonly limit?: number | undefined;
  /** Keys looked at, at most. Default: all. */
  readonly scanLimit?: number | undefined;
  /** The first matches in this order, of all that are looked at. Default: those found first. */
  readonly sort?: SortOrder | undefined;
  /** Goes on after this key: the `resumeAfter` of an earlier search. */
  readonly startAfter?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchResult {
  readonly matches: ObjectEntry[];
  /** How many keys were looked at. */
  readonly scanned: number;
  /** How many matched; with `sort` more than are in `matches`. */
  readonly found: number;
  /** Set when a limit ended the search: pass it as `startAfter` to go on. */
  readonly resumeAfter?: string | undefined;
  /** The limit that ended it. */
  readonly stopped?: "limit" | "scan" | undefined;
}

/** Whether an object answers the query. */
export function answers(query: SearchQuery, { key, size, lastModified }: ObjectEntry): boolean {
  const { prefix = "", glob } = query;
  const name = key.slice(prefix.lastIndexOf("/") + 1);
  if (glob !== undefined && !matchesGlob(glob, name)) return false;
  return isWithin(query, size, lastModified);
}

/** Collects matches until a limit is reached or the listing ends; sorted, it looks at all it may. */
export async function search(
  storage: BucketStorage,
  query: SearchQuery,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const { limit = Infinity, scanLimit = Infinity, startAfter, sort, signal } = options;
  const order = sort === undefined ? undefined : ORDERS[sort];
  let matches: ObjectEntry[] = [];
  let found = 0;
  let scanned = 0;
  /** Those that come first; sorted now and then, so that no more than twice as many are held. */
  const best = () => (order === undefined ? matches : matches.toSorted(order).slice(0, limit));
  let last = startAfter;
  for await (const entries of storage.list({ prefix: query.prefix, startAfter, signal })) {
    for (const entry of entries) {
      const full = order === undefined && matches.length >= limit;
      if (full || scanned >= scanLimit) {
        const stopped = full ? "limit" : "scan";
        return { matches: best(), scanned, found, resumeAfter: last, stopped };
      }
      scanned++;
      last = entry.key;
      if (entry.type !== "object" || !answers(query, entry)) continue;
      found++;
      matches.push(entry);
      if (order !== undefined && matches.length >= 2 * limit) matches = best();
    }
  }
  return { matches: best(), scanned, found };
}
