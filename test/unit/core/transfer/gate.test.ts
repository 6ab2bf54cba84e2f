import { describe, expect, it } from "vitest";

import { createGate } from "../../../../src/core/transfer/gate.js";

function clock() {
  let time = 0;
  return { now: () => time, advance: (ms: number) => (time += ms) };
}

const never = new AbortController().signal;

describe("a gate", () => {
  it("admits as many as its limit and the next when one leaves", async () => {
    const gate = createGate({ initial: 2, max: 2 });
    await gate.enter(never);
    await gate.enter(never);
    let third = false;
    const waiting = gate.enter(never).then(() => (third = true));
    await Promise.resolve();
    expect(third).toBe(false);
    gate.leave(1);
    await waiting;
    expect(gate.active).toBe(2);
  });

  it("grows while more at once brings more a second, and stops when it does not", async () => {
    const time = clock();
    const gate = createGate({ initial: 4, max: 64, now: time.now });
    const round = async (weight: number) => {
      const entered = Array.from({ length: gate.limit }, () => gate.enter(never));
      await Promise.all(entered);
      // Somebody waits: only a full gate says anything about its limit.
      const waiting = gate.enter(never);
      time.advance(200);
      const { limit } = gate;
      for (let i = 0; i < limit; i += 1) gate.leave(weight);
      await waiting;
      gate.leave(0);
    };
    await round(1);
    const grown = gate.limit;
    expect(grown).toBeGreaterThan(4);
    await round(1);
    expect(gate.limit).toBeGreaterThan(grown);
    // Most of a round is counted in the window that the next one ends.
    await round(0.1);
    const most = gate.limit;
    for (let i = 0; i < 5; i += 1) await round(0.1);
    expect(gate.limit).toBe(most);
  });

  it("never grows beyond its maximum", async () => {
    const time = clock();
    const gate = createGate({ initial: 4, max: 5, now: time.now });
    for (let weight = 1; weight < 1_000; weight *= 2) {
      await gate.enter(never);
      for (let i = 1; i < gate.limit; i += 1) await gate.enter(never);
      const waiting = gate.enter(never);
      time.advance(200);
      for (let left = gate.limit; left > 0; left -= 1) gate.leave(weight);
      await waiting;
      gate.leave(0);
    }
    expect(gate.limit).toBe(5);
  });

  it("halves once for refusals that come together, down to one", () => {
    const time = clock();
    const gate = createGate({ initial: 8, max: 8, now: time.now });
    time.advance(5_000);
    gate.slowDown();
    gate.slowDown();
    expect(gate.limit).toBe(4);
    for (let i = 0; i < 10; i += 1) {
      time.advance(2_000);
      gate.slowDown();
    }
    expect(gate.limit).toBe(1);
  });

  it("lets who waits go when the signal aborts, without losing its place to nobody", async () => {
    const gate = createGate({ initial: 1, max: 1 });
    await gate.enter(never);
    const abort = new AbortController();
    const aborted = gate.enter(abort.signal);
    const patient = gate.enter(never);
    abort.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    gate.leave(1);
    await patient;
    expect(gate.active).toBe(1);
  });
});
