/** Bounded concurrency over a stream of work. */
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
