/** How busy this process and its one thread of JavaScript are. */
import { performance } from "node:perf_hooks";

/**
 * Starts measuring; each call tells the busy share, 0 to 1, since the call before it. Node counts
 * what its event loop did; a runtime without such a count goes by the processor time of the process.
 */
export function createLoopMeter(): () => number {
  // Bun has none; the types know only Node.
  const utilization = performance.eventLoopUtilization as
    | typeof performance.eventLoopUtilization
    | undefined;
  if (utilization === undefined) return createProcessorMeter();
  let last = utilization();
  return () => {
    const since = utilization(last).utilization;
    last = utilization();
    return since;
  };
}

/**
 * The same for the processor time of the process, at most 1. A loop that waits for a processor that others
 * have counts as busy; the process does not.
 */
export function createProcessorMeter(): () => number {
  let last = { at: performance.now(), used: process.cpuUsage() };
  return () => {
    const at = performance.now();
    const { user, system } = process.cpuUsage(last.used);
    const share = (user + system) / 1000 / Math.max(at - last.at, 1);
    last = { at, used: process.cpuUsage() };
    return Math.min(share, 1);
  };
}
