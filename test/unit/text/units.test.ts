import { expect, test } from "vitest";

import { parseDuration, parsePairs, parseRange, parseSize } from "../../../src/text/units.js";

test.each([
  ["1", 1],
  ["64KiB", 65_536],
  ["16M", 16_777_216],
  ["1.5GiB", 1_610_612_736],
  ["5GB", 5_000_000_000],
  ["10MiB/s", 10_485_760],
])("%s is a size", (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(["", "0", "-1", "MiB", "1 banana", "1e9", "NaN"])("%j is no size", (text) => {
  expect(() => parseSize(text)).toThrow(/not a size/);
});

test.each([
  ["90", 90],
  ["15m", 900],
  ["1h30m", 5400],
  ["7d", 604_800],
  ["2w", 1_209_600],
])("%s is a duration", (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(["", "h", "1x", "1h 30", "1.5h", "-1h"])("%j is no duration", (text) => {
  expect(() => parseDuration(text)).toThrow(/not a duration/);
});

test("pairs are cut at the first equals sign", () => {
  expect(parsePairs(["a=1", "b=x=y", "c="], "pair")).toEqual({ a: "1", b: "x=y", c: "" });
  expect(() => parsePairs(["=1"], "pair")).toThrow(/not a pair/);
});

test("ranges are inclusive, and may be open", () => {
  expect(parseRange("0-99")).toEqual({ start: 0, end: 99 });
  expect(parseRange("100-")).toEqual({ start: 100 });
  expect(() => parseRange("9-1")).toThrow(/not a range/);
});
