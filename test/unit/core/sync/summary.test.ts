import { describe, expect, it } from "vitest";

import { startSummary } from "../../../../src/core/sync/summary.js";

describe("the summary of a plan", () => {
  it("counts by top prefix what is new, changed, removed and the same", () => {
    const summary = startSummary("bucket");
    summary.add("a/1", "new", 5);
    summary.add("a/2", "same", 7);
    summary.add("b/x/y", "gone", 1);
    summary.add("root", "changed", 2);
    const { total, groups, folded } = summary.end(10);
    expect(total.new).toEqual({ items: 1, bytes: 5 });
    expect(groups.map(({ prefix }) => prefix)).toEqual(["", "a/", "b/"]);
    expect(groups[1]!.tallies.same).toEqual({ items: 1, bytes: 7 });
    expect(folded).toBe(0);
  });

  it("keeps to its number of lines, however many prefixes there are, and counts all in the totals", () => {
    const summary = startSummary("bucket");
    for (let i = 0; i < 30_000; i++) summary.add(`${100_000 + i}/x`, "new", 1);
    const { total, groups, folded } = summary.end(12);
    expect(total.new).toEqual({ items: 30_000, bytes: 30_000 });
    expect(groups).toHaveLength(12);
    expect(folded).toBe(30_000 - 11);
    expect(groups.reduce((sum, { tallies }) => sum + tallies.new.items, 0)).toBe(30_000);
  });
});
