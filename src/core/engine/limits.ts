/** Bandwidth limits: a token bucket that everybody in one direction draws from. */
import { setTimeout as delay } from "node:timers/promises";

export interface Limiter {
  /** Resolves when `bytes` more may pass. Rejects with the signal's reason. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

export interface LimiterClock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
}

const REAL_CLOCK: LimiterClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

/** Chunks this large or smaller pass a limiter smoothly. */
export const LIMITED_CHUNK = 64 * 1024;

/** Burst, in seconds of the rate: short, so that even a short transfer keeps to the limit. */
const BURST = 0.05;

/** Makes a limiter of a rate in bytes a second; undefined means unlimited and costs nothing. */
export function createLimiter(
  rate: number | undefined,
  clock: LimiterClock = REAL_CLOCK,
): Limiter | undefined {
  if (rate === undefined) return undefined;
  /** When the bucket will have paid for all that was promised so far. */
  let paidAt = clock.now();
  return {
    take: async (bytes, signal) => {
      const now = clock.now();
      paidAt = Math.max(paidAt, now - BURST * 1000) + (bytes / rate) * 1000;
      if (paidAt > now) {
        await clock.sleep(paidAt - now, signal).catch((error: unknown) => {
          throw signal.aborted ? signal.reason : error;
        });
      }
    },
  };
}
