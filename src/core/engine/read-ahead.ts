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
