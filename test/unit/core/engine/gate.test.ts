import { describe, expect, it } from "vitest";

import { createGate } from "../../../../src/core/engine/gate.js";

function clock() {
  let time = 0;
  return { now: () => time, advance: (ms: number) => (time += ms) };
}

const never = new AbortController().signal;

describe("a gate", () => {
  it("admits as many as its limit, and another one when one leaves", async () => {
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

  it("grows while it brings more a second, and shrinks when it does not", async () => {
    const time = clock();
    const gate = createGate({ initial: 4, max: 64, now: time.now, isBusy: () => false });
    /** One turn for each; the service does up to `capacity` of them in the same time. */
    const round = async (capacity: number) => {
      while (gate.active < gate.limit) await gate.enter(never);
      const waiting = gate.enter(never);
      time.advance(200);
      const { active } = gate;
      for (let i = 0; i < active; i += 1) gate.leave(Math.min(1, capacity / active));
      await waiting;
    };
    for (let i = 0; i < 3; i += 1) await round(Infinity);
    const grown = gate.limit;
    expect(grown).toBeGreaterThan(8);
    await round(grown);
    await round(grown);
    expect(gate.limit).toBe(grown);
    for (let i = 0; i < 10; i += 1) await round(grown);
    expect(gate.limit).toBe(grown);
    // A step that did not pay is tried again after a while: the service may have got faster.
    time.advance(3_000);
    for (let i = 0; i < 20; i += 1) await round(Infinity);
    expect(gate.limit).toBe(64);
  });

  it("never grows beyond its maximum", async () => {
    const time = clock();
    const gate = createGate({ initial: 4, max: 5, now: time.now, isBusy: () => false });
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

  it("does not grow while this process is too busy to do more", async () => {
    const time = clock();
    let busy = true;
    const gate = createGate({ initial: 4, max: 64, now: time.now, isBusy: () => busy });
    const round = async () => {
      while (gate.tryEnter());
      const waiting = gate.enter(never);
      time.advance(200);
      for (let left = gate.active; left > 0; left -= 1) gate.leave(1);
      await waiting;
    };
    for (let i = 0; i < 5; i += 1) await round();
    expect(gate.limit).toBe(4);
    busy = false;
    for (let i = 0; i < 5; i += 1) await round();
    expect(gate.limit).toBeGreaterThan(4);
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

  it("releases a waiting task when the signal aborts, and gives its turn to the next one", async () => {
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
