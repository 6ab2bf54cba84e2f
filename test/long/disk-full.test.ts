/** A disk that becomes full at any one call. */
import { describe, expect, it, vi } from "vitest";
import { openDisk } from "../../src/store/disk/index.js";
import { fullAt } from "../unit/store/disk/faults.js";
import { SCENARIOS, bodyOf, clear, leftIn, same } from "../unit/store/disk/scenarios.js";
import { freshDisk } from "../unit/store/disk/support.js";

vi.mock("node:fs", async (original) =>
  (await import("../unit/store/disk/faults.js")).faultyCalls(await original()),
);
vi.mock("node:fs/promises", async (original) =>
  (await import("../unit/store/disk/faults.js")).faultyFileSystem(await original()),
);

describe("a disk that becomes full at any of the writing calls", () => {
  for (const [title, { before, prepare, work, outcomes }] of Object.entries(SCENARIOS)) {
    it(`while ${title} gives InsufficientStorage, and the old object or the new one is there`, async () => {
      const { disk, directory } = await freshDisk();
      for (let call = 0; ; call += 1) {
        const writer = openDisk(directory);
        await before?.(writer);
        const prepared = (await prepare?.(writer)) ?? "";
        const error = await fullAt(call, () => work(writer, prepared));
        if (error !== undefined) {
          expect(error).toMatchObject({ code: "InsufficientStorage", status: 507 });
        }
        const body = await bodyOf(disk);
        expect(outcomes.some((other) => same(other, body))).toBe(true);
        await clear(disk);
        // Nothing is swept: a process that fails clears up after itself.
        await expect.poll(() => leftIn(directory)).toEqual([]);
        if (error === undefined) break;
      }
    });
  }
});
