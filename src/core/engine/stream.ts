/** Streams of pages: read ahead, cut into batches, worked on by as many at once as a gate admits. */
import type { Gate } from "./gate.js";

/**
 * Calls `work` for every item of every page, as many at once as the gate admits, and resolves
 * when all have ended. `work` settles its own failures and resolves with what the gate is to count
 * (see `Gate.leave`); should it throw, the error is thrown from here once the rest has ended.
 */
export async function forEachItem<T>(
  pages: AsyncIterable<readonly T[]>,
  gate: Gate,
  signal: AbortSignal,
  work: (item: T) => Promise<number>,
): Promise<void> {
  let running = 0;
  let idle: () => void = () => undefined;
  let failure: { error: unknown } | undefined;
  const start = async (item: T) => {
    running += 1;
    let weight = 0;
    try {
      weight = await work(item);
    } catch (error) {
      failure ??= { error };
    }
    gate.leave(weight);
    running -= 1;
    if (running === 0) idle();
  };
  try {
    for await (const page of pages) {
      for (const item of page) {
        signal.throwIfAborted();
        if (!gate.tryEnter()) await gate.enter(signal);
        if (failure !== undefined) {
          gate.leave(0);
          throw failure.error;
        }
        void start(item);
      }
    }
  } catch (error) {
    failure ??= { error };
  }
  if (running > 0) await new Promise<void>((resolve) => (idle = resolve));
  if (failure !== undefined) throw failure.error;
}

/**
 * Reads pages ahead of their consumer, so that finding work overlaps doing it, up to about
 * `limit` items. An error arrives after the items found before it.
 */
export async function* readAhead<T>(
  pages: AsyncIterable<readonly T[]>,
  limit = 3_000,
): AsyncGenerator<readonly T[]> {
  const queue: (readonly T[])[] = [];
  let held = 0;
  let done = false;
  let failure: { error: unknown } | undefined;
  let wakeReader: () => void = () => undefined;
  let wakePump: () => void = () => undefined;

  const iterator = pages[Symbol.asyncIterator]();
  const pump = async () => {
    try {
      for (;;) {
        if (done) return;
        const next = await iterator.next();
        if (next.done === true) break;
        queue.push(next.value);
        held += next.value.length;
        wakeReader();
        if (held >= limit) await new Promise<void>((resolve) => (wakePump = resolve));
      }
    } catch (error) {
      failure = { error };
    }
    done = true;
    wakeReader();
  };
  const pumping = pump();
  try {
    for (;;) {
      const page = queue.shift();
      if (page !== undefined) {
        held -= page.length;
        wakePump();
        yield page;
      } else if (done) {
        if (failure !== undefined) throw failure.error;
        return;
      } else {
        await new Promise<void>((resolve) => (wakeReader = resolve));
      }
    }
  } finally {
    done = true;
    wakePump();
    await pumping;
    await iterator.return?.();
  }
}

/** Cuts pages of any length into batches of at most `size`. */
export async function* inBatches<T>(
  pages: AsyncIterable<readonly T[]>,
  size: number,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const page of pages) {
    for (const item of page) {
      batch.push(item);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Calls `work` for each item, at most so many at once, until the signal fires. */
export async function atMost<T>(
  most: number,
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  const next = async () => {
    for (const item of queue) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, next));
}
