import { describe, expect, it } from "vitest";

import type { TransferEvent, TransferItem } from "../../../src/core/engine/events.js";
import { createProgress } from "../../../src/core/engine/progress.js";
import { type ProgressNote, createReporter, reportTransfer } from "../../../src/mcp/progress.js";

function reporter() {
  const notes: ProgressNote[] = [];
  const clock = { now: 0 };
  const report = createReporter(
    (note) => notes.push(note),
    () => clock.now,
  );
  return { notes, clock, report };
}

describe("createReporter", () => {
  it("sends at most one note every quarter of a second, but always the last one", () => {
    const { notes, clock, report } = reporter();
    report(1, 10);
    report(2, 10);
    clock.now = 249;
    report(3, 10);
    clock.now = 250;
    report(4, 10);
    report(10, 10);
    expect(notes.map(({ progress }) => progress)).toEqual([1, 4, 10]);
  });

  it("never repeats a value or goes back when a failed try is taken back", () => {
    const { notes, clock, report } = reporter();
    for (const done of [5, 5, 3, 4, 6, 6, 2]) {
      clock.now += 1000;
      report(done);
    }
    expect(notes.map(({ progress }) => progress)).toEqual([5, 6]);
  });
});

describe("reportTransfer", () => {
  const item: TransferItem = {
    id: 1,
    action: "upload",
    source: { type: "file", path: "./a" },
    target: { type: "object", alias: "local", bucket: "b", key: "a" },
    size: 100,
  };

  /** A listener as a run calls it, with the state of all events so far. */
  function listening(report: Parameters<typeof reportTransfer>[0]) {
    const progress = createProgress();
    const listener = reportTransfer(report);
    return (event: TransferEvent) => {
      progress.apply(event);
      listener(event, progress.getSnapshot);
    };
  }

  it("reports bytes, with a total once it is known", () => {
    const { notes, clock, report } = reporter();
    const listener = listening(report);
    listener({ type: "planned", items: 1, bytes: 100 });
    listener({ type: "started", item });
    clock.now += 1000;
    listener({ type: "bytes", id: 1, count: 40 });
    clock.now += 1000;
    listener({ type: "counted" });
    listener({ type: "bytes", id: 1, count: 60 });
    listener({ type: "finished", item });
    expect(notes).toEqual([{ progress: 40 }, { progress: 100, total: 100 }]);
  });

  it("reports items where no bytes are moved", () => {
    const { notes, report } = reporter();
    const listener = listening(report);
    const removal: TransferItem = { ...item, action: "remove", size: undefined };
    listener({ type: "planned", items: 2, bytes: 0 });
    listener({ type: "counted" });
    listener({ type: "finished", item: removal });
    listener({ type: "finished", item: { ...removal, id: 2 } });
    expect(notes).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
  });
});
