import { describe, expect, it } from "vitest";

import { createLimiter } from "../../../../src/core/engine/limits.js";

const never = new AbortController().signal;

describe("a bandwidth limit", () => {
  it("lets bytes pass at its rate, by its clock", async () => {
    let time = 0;
    const limiter = createLimiter(1_000, {
      now: () => time,
      sleep: async (ms) => {
        time += ms;
      },
    });
    for (let i = 0; i < 100; i += 1) await limiter?.take(100, never);
    expect(time).toBeGreaterThanOrEqual(9_900);
    expect(time).toBeLessThanOrEqual(10_000);
  });

  it("does not save up unused bandwidth", async () => {
    let time = 0;
    const limiter = createLimiter(1_000, {
      now: () => time,
      sleep: async (ms) => {
        time += ms;
      },
    });
    time = 60_000;
    for (let i = 0; i < 10; i += 1) await limiter?.take(100, never);
    expect(time).toBeGreaterThanOrEqual(60_900);
  });

  it("is not there when there is no limit", () => {
    expect(createLimiter(undefined)).toBeUndefined();
  });

  it("stops waiting with the signal's reason", async () => {
    const abort = new AbortController();
    const limiter = createLimiter(1);
    const taking = limiter!.take(1_000_000, abort.signal);
    abort.abort(new Error("enough"));
    await expect(taking).rejects.toThrow("enough");
  });
});
