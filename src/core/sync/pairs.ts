/** Two listings in key order, side by side. Pure: it knows neither disk nor service. */
import { type AppError, unavailableError } from "../failures/errors.js";
import { compareKeys } from "../storage/key-order.js";

/** An object or a file, named by its way below the root of its side. */
export interface Listed {
  readonly name: string;
  readonly size: number;
  /** Milliseconds since the epoch: of a file its modification, of an object its upload. */
  readonly modified?: number | undefined;
  /** Changes with the content; of a file it is made of inode, size and times. */
  readonly etag?: string | undefined;
  readonly versionId?: string | undefined;
  readonly storageClass?: string | undefined;
}

/** One name, with what each side has under it; at least one side has something. */
export interface Pair {
  readonly name: string;
  readonly source?: Listed | undefined;
  readonly target?: Listed | undefined;
}

type Pages = AsyncIterable<readonly Listed[]>;

/**
 * Merges two listings into pairs in key order, a batch as soon as there is one: nothing is held but
 * a page of each side. Throws UnorderedListing when a side does not come in the order of its names'
 * UTF-8 bytes, since then a name that is there could be taken for one that is missing.
 */
export async function* mergePairs(source: Pages, target: Pages): AsyncGenerator<Pair[]> {
  const left = cursor(source, "source");
  const right = cursor(target, "target");
  try {
    // Both first pages are asked for at once.
    await Promise.all([left.load(), right.load()]);
    while (left.page !== undefined || right.page !== undefined) {
      const batch = mergeLoaded(left, right);
      if (batch.length > 0) yield batch;
      await Promise.all([left.load(), right.load()]);
    }
  } finally {
    await Promise.all([left.close(), right.close()]);
  }
}

interface PageReader {
  /** The page that is loaded and not used up; undefined at the end of the listing. */
  page: readonly Listed[] | undefined;
  at: number;
  /** Loads the next page when this one is used up. */
  load(): Promise<void>;
  close(): Promise<void>;
}

function cursor(pages: Pages, side: "source" | "target"): PageReader {
  const iterator = pages[Symbol.asyncIterator]();
  let last: string | undefined;
  const own: PageReader = {
    page: [],
    at: 0,
    load: async () => {
      while (own.page !== undefined && own.at >= own.page.length) {
        const next = await iterator.next();
        own.page = next.done === true ? undefined : next.value;
        own.at = 0;
        for (const { name } of own.page ?? []) {
          if (last !== undefined && compareKeys(last, name) >= 0) throw unordered(side, last, name);
          last = name;
        }
      }
    },
    close: async () => {
      await iterator.return?.();
    },
  };
  return own;
}

/** Pairs up what is loaded, until one side needs its next page. */
function mergeLoaded(left: PageReader, right: PageReader): Pair[] {
  const batch: Pair[] = [];
  for (;;) {
    const source = left.page?.[left.at];
    const target = right.page?.[right.at];
    // A side that has used up its page may go on with any name: the other has to wait.
    if (source === undefined && left.page !== undefined) return batch;
    if (target === undefined && right.page !== undefined) return batch;
    if (source === undefined && target === undefined) return batch;
    const order =
      source === undefined ? 1 : target === undefined ? -1 : compareKeys(source.name, target.name);
    if (order <= 0) left.at += 1;
    if (order >= 0) right.at += 1;
    if (order === 0) batch.push({ name: source!.name, source, target });
    else if (order < 0) batch.push({ name: source!.name, source });
    else batch.push({ name: target!.name, target });
  }
}

function unordered(side: string, before: string, after: string): AppError {
  return unavailableError(
    "UnorderedListing",
    `the listing of the ${side} is not in the order of the names: ${JSON.stringify(after)} comes after ${JSON.stringify(before)}`,
    "such a bucket cannot be compared safely; pail cp -r copies it",
  );
}
