import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { TransferItem } from "../../../../src/core/engine/events.js";
import { createProgress } from "../../../../src/core/engine/progress.js";

const item = (id: number, size: number | undefined): TransferItem => ({
  id,
  action: "upload",
  source: { type: "file", path: `./${id}` },
  target: { type: "object", alias: "local", bucket: "b", key: String(id) },
  size,
});

function started() {
  let time = 0;
  const progress = createProgress(() => time);
  return { progress, advance: (ms: number) => (time += ms) };
}

describe("progress", () => {
  it("counts items and bytes, and shows what is under way", () => {
    const { progress } = started();
    progress.apply({ type: "planned", items: 2, bytes: 300 });
    progress.apply({ type: "started", item: item(1, 100) });
    progress.apply({ type: "bytes", id: 1, count: 40 });
    const snapshot = progress.getSnapshot();
    expect(snapshot.items).toEqual({ total: 2, done: 0, failed: 0, skipped: 0 });
    expect(snapshot.bytes).toEqual({ total: 300, done: 40 });
    expect(snapshot.active).toEqual([{ item: item(1, 100), done: 40 }]);
  });

  it("is the same object until something happens, and is never changed afterwards", () => {
    const { progress } = started();
    const before = progress.getSnapshot();
    expect(progress.getSnapshot()).toBe(before);
    progress.apply({ type: "planned", items: 1, bytes: 10 });
    expect(progress.getSnapshot()).not.toBe(before);
    expect(before.items.total).toBe(0);
  });

  it("reaches the total whatever the events before the end said", () => {
    const { progress } = started();
    progress.apply({ type: "planned", items: 3, bytes: 300 });
    for (const id of [1, 2, 3]) progress.apply({ type: "started", item: item(id, 100) });
    progress.apply({ type: "bytes", id: 1, count: 130 });
    progress.apply({ type: "bytes", id: 1, count: -30 });
    progress.apply({ type: "finished", item: item(1, 100) });
    progress.apply({ type: "finished", item: item(2, 100) });
    progress.apply({ type: "bytes", id: 3, count: 25 });
    progress.apply({ type: "skipped", item: item(3, 100), reason: "exists" });
    const { bytes, items, active } = progress.getSnapshot();
    expect(bytes.done).toBe(bytes.total);
    expect(items).toEqual({ total: 3, done: 2, failed: 0, skipped: 1 });
    expect(active).toEqual([]);
  });

  it("reckons rate and time left from the bytes moved, not from those that were there already", () => {
    const { progress, advance } = started();
    progress.apply({ type: "planned", items: 1, bytes: 10_000 });
    progress.apply({ type: "counted" });
    progress.apply({ type: "started", item: item(1, 10_000) });
    progress.apply({ type: "resumed", item: item(1, 10_000), skipped: 6_000 });
    for (let i = 0; i < 10; i += 1) {
      advance(100);
      progress.apply({ type: "bytes", id: 1, count: 100 });
    }
    const { rate, eta } = progress.getSnapshot();
    expect(rate).toBeCloseTo(1_000, -1);
    expect(eta).toBeCloseTo(3, 0);
  });

  it("tells no time left while work is still being found or nothing has moved", () => {
    const { progress, advance } = started();
    progress.apply({ type: "planned", items: 1, bytes: 100 });
    advance(1_000);
    expect(progress.getSnapshot().eta).toBeUndefined();
    progress.apply({ type: "counted" });
    expect(progress.getSnapshot().eta).toBeUndefined();
    expect(progress.getSnapshot().rate).toBe(0);
  });

  it("reckons removals, which move no bytes, in items", () => {
    const { progress, advance } = started();
    progress.apply({ type: "planned", items: 100, bytes: 0 });
    progress.apply({ type: "counted" });
    for (let id = 1; id <= 50; id += 1) {
      advance(20);
      const removed = { ...item(id, 5), action: "remove" as const };
      progress.apply({ type: "finished", item: removed });
    }
    expect(progress.getSnapshot().eta).toBeCloseTo(1, 0);
    expect(progress.getSnapshot().bytes).toEqual({ total: 0, done: 0 });
  });

  it("tells its subscribers of every event until they leave", () => {
    const { progress } = started();
    let calls = 0;
    const leave = progress.subscribe(() => (calls += 1));
    progress.apply({ type: "counted" });
    leave();
    progress.apply({ type: "counted" });
    expect(calls).toBe(1);
  });

  it("adds up in any run in which every item ends", () => {
    const end = fc.constantFrom("finished", "failed", "skipped");
    const work = fc.record({ size: fc.nat(1_000), moved: fc.nat(1_000), end });
    fc.assert(
      fc.property(fc.array(work), (items) => {
        const { progress } = started();
        items.forEach(({ size, moved, end }, id) => {
          const one = item(id, size);
          progress.apply({ type: "planned", items: 1, bytes: size });
          progress.apply({ type: "started", item: one });
          progress.apply({ type: "bytes", id, count: Math.min(moved, size) });
          if (end === "finished") progress.apply({ type: "finished", item: one });
          else if (end === "skipped") {
            progress.apply({ type: "skipped", item: one, reason: "exists" });
          } else {
            const error = new Error("no") as never;
            progress.apply({ type: "failed", item: one, error });
          }
        });
        const { bytes, items: counts, active } = progress.getSnapshot();
        expect(bytes.done).toBe(bytes.total);
        expect(counts.done + counts.failed + counts.skipped).toBe(counts.total);
        expect(active).toEqual([]);
      }),
    );
  });
});
