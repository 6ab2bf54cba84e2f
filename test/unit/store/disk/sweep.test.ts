import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { openDisk } from "../../../../src/store/disk/index.js";
import { SWEEP_INTERVAL } from "../../../../src/store/disk/sweep.js";
import { bury, freshDirectory, put } from "./support.js";
import { until } from "../../../support/until.js";

afterEach(() => {
  vi.useRealTimers();
});

it("a store that stays open clears away the leftovers of others", async () => {
  const directory = await freshDirectory();
  const dead = openDisk(directory);
  await dead.createBucket("b", "us-east-1");
  await put(dead, "k", "x");
  vi.useFakeTimers({ toFake: ["setInterval"] });
  const open = openDisk(directory);
  await open.listBuckets();
  await bury(directory);

  const left = join(directory, "tmp", "1-dead-left");
  writeFileSync(left, "x");
  const before = new Date(Date.now() - SWEEP_INTERVAL);
  await until(() => existsSync(join(directory, "swept")));
  utimesSync(join(directory, "swept"), before, before);
  vi.advanceTimersByTime(SWEEP_INTERVAL - 1);
  expect(existsSync(left)).toBe(true);
  vi.advanceTimersByTime(1);
  await until(() => !existsSync(left));
});
