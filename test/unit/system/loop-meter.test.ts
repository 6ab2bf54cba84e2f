import { performance } from "node:perf_hooks";

import { afterEach, expect, test, vi } from "vitest";

import { createLoopMeter, createProcessorMeter } from "../../../src/system/loop-meter.js";

afterEach(() => vi.restoreAllMocks());

/** Keeps the thread busy until the process has used so much processor time, in milliseconds. */
function work(milliseconds: number): void {
  const start = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  while (used() < milliseconds);
}

test("a thread that works is busy all the time, by the event loop's own count", () => {
  const busy = createLoopMeter();
  busy();
  work(20);
  expect(busy()).toBe(1);
});

test("without such a count it measures processor time as a share of the time that passed", () => {
  vi.spyOn(
    performance as { eventLoopUtilization: unknown },
    "eventLoopUtilization",
    "get",
  ).mockReturnValue(undefined);
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const used = vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 0, system: 0 });
  const busy = createLoopMeter();
  now.mockReturnValue(100);
  used.mockReturnValue({ user: 20_000, system: 5000 });
  expect(busy()).toBe(0.25);
  now.mockReturnValue(110);
  used.mockReturnValue({ user: 90_000, system: 0 });
  expect(busy()).toBe(1);
});

test("a process that waits for a processor is not busy, though its loop is", () => {
  const isLoopBusy = createLoopMeter();
  const isBusy = createProcessorMeter();
  isLoopBusy();
  isBusy();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  expect(isLoopBusy()).toBe(1);
  expect(isBusy()).toBeLessThan(0.9);
});
