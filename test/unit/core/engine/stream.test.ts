import { describe, expect, it } from "vitest";

import { forEachItem, readAhead } from "../../../../src/core/engine/stream.js";
import { createGate } from "../../../../src/core/engine/gate.js";

const never = new AbortController().signal;

async function* pages(count: number, size: number, seen: { read: number }) {
  for (let i = 0; i < count; i += 1) {
    seen.read += 1;
    yield Array.from({ length: size }, (_, j) => i * size + j);
  }
}

describe("reading ahead", () => {
  it("yields every page in order", async () => {
    const all: number[] = [];
    for await (const page of readAhead(pages(50, 3, { read: 0 }), 10)) all.push(...page);
    expect(all).toEqual(Array.from({ length: 150 }, (_, i) => i));
  });

  it("stops reading when enough is waiting, so a listing of any length stays bounded", async () => {
    const seen = { read: 0 };
    const iterator = readAhead(pages(1_000, 10, seen), 50)[Symbol.asyncIterator]();
    await iterator.next();
    for (let i = 0; i < 100; i += 1) await Promise.resolve();
    expect(seen.read).toBeLessThanOrEqual(7);
    await iterator.return?.(undefined);
  });

  it("delivers everything found before an error, then the error", async () => {
    async function* broken() {
      yield [1];
      yield [2];
      throw new Error("listing failed");
    }
    const all: number[] = [];
    const reading = (async () => {
      for await (const page of readAhead(broken())) all.push(...page);
    })();
    await expect(reading).rejects.toThrow("listing failed");
    expect(all).toEqual([1, 2]);
  });
});

describe("work on every item", () => {
  it("runs as many at once as the gate admits, never more, and waits for all", async () => {
    const gate = createGate({ initial: 7, max: 7 });
    let active = 0;
    let most = 0;
    let done = 0;
    await forEachItem(pages(20, 10, { read: 0 }), gate, never, async () => {
      active += 1;
      most = Math.max(most, active);
      await new Promise(setImmediate);
      active -= 1;
      done += 1;
      return 1;
    });
    expect(most).toBe(7);
    expect(done).toBe(200);
  });

  it("throws the error of one item once the rest have ended", async () => {
    const gate = createGate({ initial: 3, max: 3 });
    let ended = 0;
    const running = forEachItem(pages(1, 10, { read: 0 }), gate, never, async (item) => {
      await new Promise(setImmediate);
      ended += 1;
      if (item === 1) throw new Error("bug");
      return 1;
    });
    await expect(running).rejects.toThrow("bug");
    expect(gate.active).toBe(0);
    expect(ended).toBeGreaterThanOrEqual(3);
  });
});
