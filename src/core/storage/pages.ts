/** One page of a listing, and where the next one starts; no cursor on the last page. */
export interface Page<T, Cursor> {
  readonly entries: T[];
  readonly next?: Cursor | undefined;
}

export interface PagesOptions {
  /** Fetches the next page while the current one is consumed. */
  readonly lookahead: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the pages of a listing in order; empty ones are left out. A page fetched ahead is
 * aborted when the consumer leaves early, and its failure is thrown only when its turn comes.
 */
export async function* pages<T, Cursor>(
  fetch: (cursor: Cursor | undefined, signal: AbortSignal) => Promise<Page<T, Cursor>>,
  { lookahead, signal }: PagesOptions,
): AsyncGenerator<T[]> {
  const left = new AbortController();
  const stop = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
  let pending: Promise<Page<T, Cursor>> | undefined;
  try {
    let page = await fetch(undefined, stop);
    for (;;) {
      if (page.next !== undefined && lookahead) {
        pending = fetch(page.next, stop);
        pending.catch(() => undefined); // Thrown below, where it is awaited.
      }
      if (page.entries.length > 0) yield page.entries;
      if (page.next === undefined) return;
      page = await (pending ?? fetch(page.next, stop));
      pending = undefined;
    }
  } finally {
    left.abort();
  }
}
