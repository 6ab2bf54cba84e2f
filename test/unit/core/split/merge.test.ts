import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { mergeReports } from "../../../../src/core/split/merge.js";

let directory: string;
let made = 0;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-merge-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const RANGES = [{ to: "h" }, { after: "h", to: "p" }, { after: "p" }];
const GOOD = { end: true, items: 2, bytes: 10, failed: 0 };

/** Writes the report of a shard that ended like this; without an end, it was killed. */
function report(
  number: number,
  end: object | undefined = GOOD,
  more: object = {},
  shard: object = {},
) {
  const header = {
    pail: "report",
    version: 1,
    made: new Date(1.7e12 + made++).toISOString(),
    command: "sync",
    words: ["--delete", "it's", "a/b", "--split", "s.json", "--report", `r${number}`],
    shard: { number, of: 3, split: "one", ...RANGES[number - 1], ...shard },
    ...more,
  };
  const failure = { do: "failed", name: "a/b/bad", code: "AccessDenied", message: "no" };
  const failed = (end as { failed?: number } | undefined)?.failed === 1 ? [failure] : [];
  const name = `${made}.jsonl`;
  const path = join(directory, name);
  const lines = [header, ...failed, ...(end === undefined ? [] : [end])];
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return { path, name };
}
const killed = (number: number) => {
  const one = report(number);
  writeFileSync(one.path, JSON.stringify({}), { flag: "a" });
  return one;
};

describe("merging reports", () => {
  it("sums a job whose shards all ended well, in any order and after any number of runs", () => {
    const failed = report(2, {
      ...GOOD,
      failed: 1,
      error: { code: "PartialFailure", message: "1 failed" },
    });
    const all = [report(3), failed, killed(1), report(1), report(2)].reverse();
    const merged = mergeReports(all);
    expect(merged).toMatchObject({ command: "sync", of: 3, items: 8, bytes: 40, again: [] });
    expect(merged.shards.every(({ why }) => why === undefined)).toBe(true);
  });

  it("names the shards to run again, and the command", () => {
    const { shards, again } = mergeReports([
      report(1, { ...GOOD, failed: 1 }),
      report(2, { ...GOOD, error: { code: "DeletionWithheld", message: "withheld" } }),
    ]);
    expect(shards.map(({ why }) => why)).toEqual(["1 failed", "withheld", "it has no report"]);
    expect(shards[0]!.failures).toMatchObject([{ name: "a/b/bad", code: "AccessDenied" }]);
    expect(again[2]).toBe(
      String.raw`pail sync --shard 3/3 --delete 'it'\''s' a/b --split s.json --report r1`,
    );
    // Yesterday's good reports say nothing about today's run.
    const all = [report(1), killed(1), report(2), report(3)];
    expect(mergeReports(all).shards.map(({ why }) => why)).toEqual([
      expect.stringContaining("its end"),
      undefined,
      undefined,
    ]);
  });

  it("counts once the finds of several runs of a shard, and accepts differences as a result", () => {
    const found = { command: "du" };
    const du = [
      report(1, GOOD, found),
      report(1, GOOD, found),
      report(2, GOOD, found),
      report(3, GOOD, found),
    ];
    expect(mergeReports(du)).toMatchObject({ items: 6, bytes: 30, again: [] });
    const different = { ...GOOD, error: { code: "Different", message: "2" } };
    const diff = [1, 2, 3].map((number) => report(number, different, { command: "diff" }));
    expect(mergeReports(diff)).toMatchObject({ items: 6, again: [] });
  });

  it.each([
    ["a gap", () => [report(1), report(2, GOOD, {}, { after: "i" }), report(3)]],
    ["an overlap", () => [report(1, GOOD, {}, { to: "i" }), report(2), report(3)]],
    ["two ranges of one number", () => [report(1), report(1, GOOD, {}, { to: "g" })]],
    ["two splits", () => [report(1), report(2, GOOD, {}, { split: "other" })]],
    ["other counts of shards", () => [report(1), report(2, GOOD, {}, { of: 4 })]],
    ["another command", () => [report(1), report(2, GOOD, { command: "cp" })]],
    [
      "other words",
      () => [report(1), report(2, GOOD, { words: ["it's", "a/b", "--split", "s.json"] })],
    ],
  ])("refuses reports with %s", (_, reports) => {
    expect(() => mergeReports(reports())).toThrow(expect.objectContaining({ kind: "conflict" }));
  });

  it("counts as one job reports whose flags differ only in speed and output", () => {
    const words = ["--delete", "it's", "a/b", "--concurrency", "4", "-q", "--split", "s.json"];
    expect(mergeReports([report(1), report(2, GOOD, { words }), report(3)]).again).toEqual([]);
  });

  it("refuses what is not the report of a shard", () => {
    const whole = report(1, GOOD, { shard: undefined });
    expect(() => mergeReports([whole])).toThrow(/not of a shard/);
    for (const shard of [{ of: undefined }, { number: 4 }, { number: 0 }]) {
      expect(() => mergeReports([report(1, GOOD, {}, shard)])).toThrow(/not of a shard/);
    }
    const [first] = mergeReports([report(1, { end: true })]).shards;
    expect(first!.why).toBeDefined();
  });
});
