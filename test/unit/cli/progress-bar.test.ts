import { PassThrough } from "node:stream";

import { expect, test, vi } from "vitest";

import { barLine, showProgress, summary } from "../../../src/cli/progress-bar.js";
import type { ProgressSnapshot } from "../../../src/core/engine/events.js";

const MIB = 1024 * 1024;
const item = {
  id: 1,
  action: "upload",
  source: { type: "file", path: "photos/evil\u001b[2J.jpg" },
  target: { type: "object", alias: "local", bucket: "b", key: "k" },
  size: 4 * MIB,
} as const;
const snapshot: ProgressSnapshot = {
  items: { total: 4, done: 1, failed: 0, skipped: 0 },
  bytes: { total: 16 * MIB, done: 4 * MIB },
  counted: true,
  rate: 2 * MIB,
  eta: 6,
  elapsed: 2000,
  active: [{ item, done: 0 }],
};

test("the bar shows share, bytes, items, rate, time left and what is under way", () => {
  expect(barLine(snapshot, 200)).toBe(
    "██████░░░░░░░░░░░░░░░░░░  25%  4.0MiB/16MiB  1/4  2.0MiB/s  6s left  photos/evil\\x1b[2J.jpg",
  );
});

test("it is narrower than the terminal, which would wrap it", () => {
  for (const columns of [1, 2, 20, 80]) {
    expect(barLine(snapshot, columns).length).toBeLessThanOrEqual(Math.max(1, columns - 1));
  }
});

test("growing totals are marked, and an unknown time left is left out", () => {
  const growing = { ...snapshot, counted: false, eta: undefined };
  expect(barLine(growing, 200)).toContain("4.0MiB/16MiB+  1/4+  2.0MiB/s  photos");
  expect(summary(growing, "upload")).toBe("1 of 4 uploads so far, 4.0MiB of 16MiB, 2.0MiB/s");
});

test("no work at all is not a division by zero", () => {
  const empty = {
    ...snapshot,
    items: { total: 0, done: 0, failed: 0, skipped: 0 },
    bytes: { total: 0, done: 0 },
    rate: 0,
    eta: undefined,
    active: [],
  };
  expect(barLine(empty, 200)).toMatch(/^░{24} {3}0% {2}0B\/0B$/);
});

test("a log gets a line every ten seconds, and none after the end", async () => {
  vi.useFakeTimers();
  try {
    const log = new PassThrough();
    const view = await showProgress(() => snapshot, "object", log as unknown as NodeJS.WriteStream);
    expect(view.inPlace).toBe(false);
    vi.advanceTimersByTime(25_000);
    view.stop();
    vi.advanceTimersByTime(60_000);
    const line = "1 of 4 objects, 4.0MiB of 16MiB, 2.0MiB/s, 6s left\n";
    expect(String(log.read())).toBe(line + line);
  } finally {
    vi.useRealTimers();
  }
});
