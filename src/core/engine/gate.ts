/**
 * How many things are under way at once, adapting to the service: the limit grows step by step
 * while more at once means more done a second, goes back from the step that did not pay, and
 * halves when the service says it is too much. While this process is what limits the work, more at
 * once would only cost more.
 */
import { onAbort } from "../on-abort.js";
import { createLoopMeter } from "../../system/loop-meter.js";

export interface Gate {
  /** Takes a place if one is free. */
  tryEnter(): boolean;
  /** Waits for a free place. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  /** Gives the place back; `weight` is what was achieved in it (1 for an item, or bytes). */
  leave(weight: number): void;
  /** The service asked for less. */
  slowDown(): void;
  readonly limit: number;
  readonly active: number;
}

export interface GateOptions {
  readonly initial: number;
  readonly max: number;
  /** Milliseconds; for tests. */
  readonly now?: (() => number) | undefined;
  /** Whether this process has been too busy since the last call to do more; for tests. */
  readonly isBusy?: (() => boolean) | undefined;
}

/** Long enough for a rate to mean something, short enough that ten steps fit into a short run. */
const WINDOW = 150;
/** A step that did not pay may have met a bad moment: it is tried again after this time. */
const RETRIAL = 3_000;
/** Several refusals of the same moment are one refusal. */
const SLOWDOWN_PAUSE = 1_000;
/** Twice as much at once should bring nearly twice as much; a little more is noise. */
const WORTH_IT = 1.25;

/** Makes a gate; with `max` equal to `initial` it only ever shrinks and recovers. */
export function createGate({
  initial,
  max,
  now = Date.now,
  isBusy = tooBusyToGrow(),
}: GateOptions): Gate {
  let limit = Math.min(initial, max);
  let active = 0;
  let waiting: { go: () => void; cancelled: boolean }[] = [];
  let windowStart = now();
  let achieved = 0;
  let left = 0;
  let saturated = false;
  /** The limit and rate before the last step up, until that has shown whether it pays. */
  let trial: { readonly limit: number; readonly rate: number } | undefined;
  /** When a step up has not paid last. */
  let triedAt = -Infinity;
  let quietUntil = 0;

  const admit = () => {
    while (active < limit && waiting.length > 0) {
      const next = waiting.shift()!;
      if (next.cancelled) continue;
      active += 1;
      next.go();
    }
  };
  const adapt = () => {
    const time = now();
    const elapsed = time - windowStart;
    // Also long enough for each place to end once: on a long line results come in waves.
    if (elapsed < WINDOW || left < limit) return;
    const rate = achieved / elapsed;
    if (saturated && time >= Math.max(quietUntil, triedAt + RETRIAL)) {
      if (trial !== undefined && rate < trial.rate * WORTH_IT) {
        ({ limit } = trial);
        trial = undefined;
        triedAt = time;
      } else if (isBusy()) {
        trial = undefined;
      } else {
        trial = { limit, rate };
        limit = Math.min(max, limit * 2);
      }
    }
    windowStart = time;
    achieved = 0;
    left = 0;
    saturated = waiting.length > 0;
  };

  const tryEnter = () => {
    if (active >= limit) return false;
    active += 1;
    return true;
  };

  return {
    tryEnter,
    enter: (signal) => {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (tryEnter()) return Promise.resolve();
      saturated = true;
      return new Promise((resolve, reject) => {
        const entry = {
          cancelled: false,
          go: () => {
            release();
            resolve();
          },
        };
        const release = onAbort(signal, (reason) => {
          entry.cancelled = true;
          reject(reason);
        });
        waiting.push(entry);
      });
    },
    leave: (weight) => {
      active -= 1;
      achieved += weight;
      left += 1;
      adapt();
      admit();
    },
    slowDown: () => {
      const time = now();
      if (time < quietUntil) return;
      limit = Math.max(1, Math.floor(limit / 2));
      // Earlier findings no longer say anything: let it grow from here again.
      trial = undefined;
      triedAt = -Infinity;
      quietUntil = time + SLOWDOWN_PAUSE;
    },
    get limit() {
      return limit;
    },
    get active() {
      return active;
    },
  };
}

/** Tells whether the event loop was so busy since the last call that no step up could pay. */
function tooBusyToGrow(): () => boolean {
  const busyShare = createLoopMeter();
  return () => busyShare() > 1 / WORTH_IT;
}
