/** One page of a listing, and the cursor to the next. */
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { Entry, ListOptions } from "../core/storage/storage.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { MAX_PAGE } from "./limits.js";

export interface ListedPage {
  readonly entries: readonly Entry[];
  /** Undefined on the last page. */
  readonly cursor: string | undefined;
}

// A page of the longest keys must stay below what a client takes, twice over and escaped.
const PAGE_BYTES = 512 * 1024;

/**
 * Takes up to `max` entries. In a listing of versions a page may end among the versions of one
 * key; the cursor then says how many of them were shown.
 */
export async function collectPage(
  storage: BucketStorage,
  options: Pick<ListOptions, "prefix" | "delimiter" | "versions">,
  max: number,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListedPage> {
  const { after, skip } = decodeCursor(cursor);
  const entries: Entry[] = [];
  // Where the next page starts, as of the last entry taken.
  let previous = after;
  let shown = skip;
  let toSkip = skip;
  let bytes = 0;
  const pages = storage.list({
    ...options,
    ...(after === undefined ? {} : { startAfter: after }),
    pageSize: Math.min(MAX_PAGE, max + skip + 1),
    signal,
  });
  for await (const page of pages) {
    for (const entry of page) {
      if (toSkip > 0) {
        toSkip -= 1;
        continue;
      }
      if (entries.length === max || bytes > PAGE_BYTES) {
        const last = entries.at(-1)!;
        const next =
          entry.key === last.key ? { after: previous, skip: shown } : { after: last.key, skip: 0 };
        return { entries, cursor: encodeCursor(next) };
      }
      const last = entries.at(-1);
      if (last !== undefined && last.key !== entry.key) {
        previous = last.key;
        shown = 0;
      }
      entries.push(entry);
      shown += 1;
      bytes += Buffer.byteLength(JSON.stringify(entry.key)) + 64;
    }
  }
  return { entries, cursor: undefined };
}
