/**
 * A process that stops at any one of its file-system calls: that call never returns, so nothing
 * after it runs, not even a `finally`. Then its owner file is made to name a dead process, and
 * another process looks at the disk.
 */
import { describe, expect, it, vi } from "vitest";
import { openDirectory } from "../../src/store/disk/directory.js";
import { openDisk } from "../../src/store/disk/index.js";
import { sweep } from "../../src/store/disk/sweep.js";
import { dieAt } from "../unit/store/disk/faults.js";
import { SCENARIOS, SMALL, bodyOf, clear, leftIn, same } from "../unit/store/disk/scenarios.js";
import { bury, freshDisk, put } from "../unit/store/disk/support.js";

vi.mock("node:fs", async (original) =>
  (await import("../unit/store/disk/faults.js")).faultyCalls(await original()),
);
vi.mock("node:fs/promises", async (original) =>
  (await import("../unit/store/disk/faults.js")).faultyFileSystem(await original()),
);

describe("a process killed at any of its file-system calls", () => {
  for (const [title, { before, prepare, work, outcomes }] of Object.entries(SCENARIOS)) {
    it(`while ${title} leaves the old object or the new one, and nothing after a sweep`, async () => {
      const seen = new Set<number>();
      const { disk, directory } = await freshDisk();
      for (let call = 0; ; call += 1) {
        const writer = openDisk(directory);
        await before?.(writer);
        const prepared = (await prepare?.(writer)) ?? "";
        const died = await dieAt(call, () => work(writer, prepared));
        await bury(directory);

        const body = await bodyOf(disk);
        const outcome = outcomes.findIndex((other) => same(other, body));
        expect(outcome, `the object after ${call} calls`).toBeGreaterThanOrEqual(0);
        if (!died) expect(outcome).toBe(outcomes.length - 1);
        seen.add(outcome);

        // The dead process's lock does not stop the next writer.
        if (call % 3 === 0) await put(disk, "deep/k", SMALL);
        await sweep(await openDirectory(directory));
        expect(same(await bodyOf(disk), call % 3 === 0 ? SMALL : body)).toBe(true);
        await clear(disk);
        await expect.poll(() => leftIn(directory)).toEqual([]);
        if (!died) break;
      }
      await disk.deleteBucket("b");
      expect(seen.size).toBe(outcomes.length);
    });
  }
});
