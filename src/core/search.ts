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

export interface SearchOptions {
  /** Matches at most. Default: all. */
  readonly limit?: number | undefined;
  /** Keys looked at, at most. Default: all. */
  readonly scanLimit?: number | undefined;
  /** Goes on after this key: the `resumeAfter` of an earlier search. */
  readonly startAfter?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchResult {
  readonly matches: ObjectEntry[];
  /** How many keys were looked at. */
  readonly scanned: number;
  /** Set when a limit ended the search: pass it as `startAfter` to go on. */
  readonly resumeAfter?: string | undefined;
}

/** Whether an object answers the query. */
export function answers(query: SearchQuery, { key, size, lastModified }: ObjectEntry): boolean {
  const { prefix = "", glob } = query;
  const name = key.slice(prefix.lastIndexOf("/") + 1);
  if (glob !== undefined && !matchesGlob(glob, name)) return false;
  return isWithin(query, size, lastModified);
}

/** Collects matches until a limit is reached or the listing ends. */
export async function search(
  storage: BucketStorage,
  query: SearchQuery,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const { limit = Infinity, scanLimit = Infinity, startAfter, signal } = options;
  const matches: ObjectEntry[] = [];
  let scanned = 0;
  let last = startAfter;
  for await (const entries of storage.list({ prefix: query.prefix, startAfter, signal })) {
    for (const entry of entries) {
      if (matches.length >= limit || scanned >= scanLimit) {
        return { matches, scanned, resumeAfter: last };
      }
      scanned++;
      last = entry.key;
      if (entry.type === "object" && answers(query, entry)) matches.push(entry);
    }
  }
  return { matches, scanned };
}
