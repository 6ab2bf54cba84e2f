import { describe, expect, it } from "vitest";

import { holds, isTiling, rangesBetween } from "../../../../src/core/key-range.js";
import { parseSplit, shardOf, splitLines } from "../../../../src/core/split/file.js";
import { cutWeighted, gatherNames } from "../../../../src/core/split/quantiles.js";
import { sampleKeys } from "../../../../src/core/split/sample.js";
import { split } from "../../../../src/core/split/make.js";
import type { Side } from "../../../../src/core/sync/sides.js";
import { compareKeys } from "../../../../src/core/storage/key-order.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import type { Entry, ListOptions } from "../../../../src/core/storage/storage.js";
import { shapes } from "../storage/split/shapes.js";

const { signal } = new AbortController();

/** A place with these keys, in order, and how many pages it was asked for. */
function placeOf(keys: readonly string[], prefix = "") {
  const asked = { pages: 0 };
  const list = async function* ({ startAfter = "" }: ListOptions = {}) {
    let at = 0;
    for (let high = keys.length; at < high;) {
      const middle = (at + high) >> 1;
      if (compareKeys(keys[middle]!, startAfter) <= 0) at = middle + 1;
      else high = middle;
    }
    for (; at < keys.length; at += 1000) {
      asked.pages += 1;
      yield keys.slice(at, at + 1000).map((key): Entry => ({ type: "object", key, size: 1 }));
    }
  };
  const storage = { list, bucket: "b" } as unknown as BucketStorage;
  const place: Side = { type: "bucket", alias: "a", storage, key: prefix };
  return { place, storage, asked };
}

async function* lines(names: readonly string[]) {
  yield* names;
}

describe("sampleKeys", () => {
  it.each(["random names", "Chinese characters"])(
    "finds nearly equal ranges in a few pages: %s",
    async (name) => {
      const keys = shapes[name]!(60_000);
      const { storage, asked } = placeOf(keys);
      const stretches = await sampleKeys(storage, "", 40, signal);
      expect(asked.pages).toBeLessThanOrEqual(40);
      const ranges = rangesBetween(cutWeighted(stretches, 4).boundaries);
      expect(isTiling(ranges)).toBe(true);
      const counts = ranges.map((range) => keys.filter((key) => holds(range, key)).length);
      expect(Math.max(...counts)).toBeLessThan(keys.length * 0.6);
    },
  );
});

describe("split", () => {
  const counts = async (keys: readonly string[], into: number, listed?: readonly string[]) => {
    const { place } = placeOf(keys.toSorted(compareKeys), "p/");
    const list = listed === undefined ? undefined : lines(listed);
    const made = await split({ place, into, listed: list, signal });
    expect(isTiling(made.ranges)).toBe(true);
    expect(made.ranges).toHaveLength(into);
    return made;
  };

  it("counts what it lists, and cuts below the place", async () => {
    const names = ["a", "a!", "a/b", "b", "\u{10000}", "\uffff"];
    const { ranges, counted, place } = await counts(
      names.map((name) => `p/${name}`),
      3,
    );
    expect([place, counted]).toEqual(["a/b/p/", true]);
    expect(ranges).toEqual([
      { objects: 2, to: "a!" },
      { objects: 2, after: "a!", to: "b" },
      { objects: 2, after: "b" },
    ]);
  });

  it("has empty ranges where there are fewer names than those", async () => {
    const { ranges } = await counts(["p/a"], 3);
    expect(ranges.map(({ objects }) => objects)).toEqual([1, 0, 0]);
  });

  it("request 11, an inventory: takes a list in any order, and from it the names below the place", async () => {
    const { ranges } = await counts([], 2, ["p/d", "q/z", "p/", "p/a", "p/c", "p/b"]);
    expect(ranges).toEqual([
      { objects: 2, to: "b" },
      { objects: 2, after: "b" },
    ]);
  });

  it("of an empty place is refused", async () => {
    await expect(counts([], 2)).rejects.toMatchObject({ code: "NoSuchKey" });
  });

  it("estimates from a sample when the list is long", () => {
    const names = gatherNames(100);
    for (let i = 0; i < 10_000; i++) names.add(String((i * 7919) % 10_000).padStart(5, "0"));
    const { boundaries, weights, counted } = names.cut(2);
    expect(counted).toBe(false);
    expect(weights).toEqual([5000, 5000]);
    expect(Math.abs(Number(boundaries[0]) - 5000)).toBeLessThan(2000);
  });
});

describe("the file of a split", () => {
  const made = {
    pail: "split",
    version: 1,
    place: "a/b/p/",
    made: "2025-11-01T00:00:00.000Z",
    counted: true,
    ranges: [
      { objects: 1, to: '"\n\u2028' },
      { objects: 1, after: '"\n\u2028' },
    ],
  } as const;
  const text = splitLines(made).join("\n");

  it("has one range a line, and is read back as it was", () => {
    expect(parseSplit(text, "f")).toEqual(made);
    expect(text.split("\n")).toHaveLength(11);
  });

  it.each([
    ["no JSON", text.slice(1)],
    ["null", "null"],
    ["another file", "{}"],
    ["another version", text.replace('"version": 1', '"version": 2')],
    ["no ranges", text.replace('"ranges"', '"others"')],
    ["a gap", text.replace('"after":"', '"after":"x')],
    ["a range that is cut off", text.replace('"objects":1,"to"', '"objects":1,"too"')],
    ["a number for a name", text.replace(/"to":"[^}]*/, '"to":1')],
    [
      "half of a character",
      JSON.stringify({ ...JSON.parse(text), ranges: [{ to: "\ud800" }, { after: "\ud800" }] }),
    ],
  ])("is refused with %s", (_, broken) => {
    expect(() => parseSplit(broken, "f")).toThrow(/f is no split/);
  });

  it("belongs to one of the command's places, with or without a slash at the end", () => {
    const split = parseSplit(text, "f");
    expect(shardOf(split, 2, ["dir", "a/b/p"], "f")).toMatchObject({
      number: 2,
      of: 2,
      to: undefined,
    });
    expect(() => shardOf(split, 2, ["dir", "a/b/p/q"], "f")).toThrow(/none of the places/);
    const here = { ...split, place: process.cwd() };
    expect(shardOf(here, 1, ["."], "f")).toMatchObject({ number: 1, after: undefined });
  });
});
