/** Sharing the event loop. */
import { setImmediate } from "node:timers/promises";

/** Milliseconds of work between two looks at the event loop. */
const SLICE = 2;

/** A function that gives others a turn whenever the event loop has been held for some milliseconds. */
export function createPauses(): () => Promise<void> | undefined {
  let started = performance.now();
  return () => {
    if (performance.now() - started < SLICE) return undefined;
    return setImmediate().then(() => {
      started = performance.now();
    });
  };
}
