import { type AppError, unavailableError } from "../failures/errors.js";

/** One page of a listing, and where the next one starts; no cursor on the last page. */
export interface Page<T, Cursor> {
  readonly entries: T[];
  readonly next?: Cursor | undefined;
}

export interface PagesOptions {
  /** The subject of the listing, for errors: `the listing of photos`. */
  readonly subject: string;
  /** Fetches the next page while the current one is consumed. */
  readonly lookahead: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the pages of a listing in order; empty ones are left out, and there may be any number of
 * them, as where a service passes over what was deleted. A page fetched ahead is aborted when the
 * consumer leaves early, and its failure is thrown only when its turn comes. Throws InvalidResponse
 * when the listing comes back to a cursor it had before.
 */
export async function* pages<T, Cursor>(
  fetch: (cursor: Cursor | undefined, signal: AbortSignal) => Promise<Page<T, Cursor>>,
  { subject, lookahead, signal }: PagesOptions,
): AsyncGenerator<T[]> {
  const left = new AbortController();
  const stop = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
  const isCircle = circleDetector();
  let pending: Promise<Page<T, Cursor>> | undefined;
  try {
    let page = await fetch(undefined, stop);
    for (;;) {
      if (page.next !== undefined && isCircle(page.next)) throw circular(subject);
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

/**
 * Tells when cursors repeat. One is remembered at a time, each for twice as long as the one before:
 * a circle of any length is noticed, in its third round at the latest, and memory does not grow
 * (Brent's algorithm).
 */
export function circleDetector(): (cursor: unknown) => boolean {
  let remembered: string | undefined;
  let age = 0;
  let patience = 1;
  return (cursor) => {
    const text = JSON.stringify(cursor);
    if (text === remembered) return true;
    age += 1;
    if (age === patience) {
      remembered = text;
      age = 0;
      patience *= 2;
    }
    return false;
  };
}

/** The error of a listing that comes back to a cursor it had before. */
export function circular(subject: string): AppError {
  return unavailableError(
    "InvalidResponse",
    `${subject} cannot be read: it comes back to where it was`,
  );
}
