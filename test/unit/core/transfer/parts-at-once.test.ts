import { setImmediate } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { createRun } from "../../../../src/core/engine/run.js";
import { workOnParts } from "../../../../src/core/transfer/parts-at-once.js";

describe("work on parts", () => {
  it("does each part once, as many at once as the gate of all parts allows", async () => {
    const run = createRun({ concurrency: 3 });
    const done: number[] = [];
    let next = 0;
    let atOnce = 0;
    let most = 0;
    await workOnParts(run, 20, async () => {
      if (next === 20) return undefined;
      const mine = (next += 1);
      most = Math.max(most, (atOnce += 1));
      await setImmediate();
      atOnce -= 1;
      done.push(mine);
      return 1;
    });
    expect(done.sort((one, other) => one - other)).toEqual(Array.from(Array(20), (_, i) => i + 1));
    expect(most).toBe(3);
    expect(run.parts.active).toBe(0);
  });

  it("throws the first failure once nothing is under way, and begins nothing after it", async () => {
    const run = createRun({ concurrency: 2 });
    let begun = 0;
    let ended = 0;
    const work = async () => {
      const mine = (begun += 1);
      await setImmediate();
      if (mine === 3) throw new Error("the third");
      await setImmediate();
      ended += 1;
      return 1;
    };
    await expect(workOnParts(run, Infinity, work)).rejects.toThrow("the third");
    expect(ended).toBe(begun - 1);
    expect(begun).toBeLessThan(6);
    expect(run.parts.active).toBe(0);
  });

  it("ends with the reason of an abort, also while all wait for a place", async () => {
    const controller = new AbortController();
    const run = createRun({ concurrency: 1, signal: controller.signal });
    await run.parts.enter(run.signal);
    const ended = workOnParts(run, 5, () => Promise.resolve(1));
    controller.abort();
    await expect(ended).rejects.toMatchObject({ code: "Interrupted" });
    expect(run.parts.active).toBe(1);
  });
});
