/** A bounded search over a listing. */
import { matchesGlob } from "./glob.js";
import type { BucketStorage } from "./storage/s3-types.js";
import type { ObjectEntry } from "./storage/storage.js";

export interface SearchQuery {
  /** Only below this prefix. Default: everywhere. */
  readonly prefix?: string | undefined;
  /** Glob (filter.ts) over what follows the prefix's last `/` in the key. Default: any. */
  readonly glob?: string | undefined;
  /** Bytes, inclusive. */
  readonly minSize?: number | undefined;
  readonly maxSize?: number | undefined;
  /** Milliseconds since the epoch: modified after, or before, this; exclusive. */
  readonly newerThan?: number | undefined;
  readonly olderThan?: number | undefined;
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

/**
 * Whether an object answers the query. An object of unknown time is neither newer nor older than
 * anything.
 */
export function answers(query: SearchQuery, { key, size, lastModified }: ObjectEntry): boolean {
  const { prefix = "", glob, minSize, maxSize, newerThan, olderThan } = query;
  if (glob !== undefined && !matchesGlob(glob, key.slice(prefix.lastIndexOf("/") + 1))) {
    return false;
  }
  if (minSize !== undefined && size < minSize) return false;
  if (maxSize !== undefined && size > maxSize) return false;
  if (newerThan !== undefined && !(lastModified !== undefined && lastModified > newerThan)) {
    return false;
  }
  return olderThan === undefined || (lastModified !== undefined && lastModified < olderThan);
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
