/** Objects looked at, kept, copied or checked at once. */
const AT_ONCE = 16;

/** Does some work on each, a few at once; the first failure is thrown once all have ended. */
export async function atOnce<T>(
  items: Iterable<T>,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      signal.throwIfAborted();
      await work(next.value);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const failed = ended.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
