import { describe, expect, test } from "vitest";

import {
  createTimeFormat,
  formatCount,
  formatDuration,
  formatSize,
} from "../../../src/text/format.js";

describe("sizes", () => {
  test.each([
    [0, "0B"],
    [13, "13B"],
    [1023, "1023B"],
    [1024, "1.0KiB"],
    [1258291, "1.2MiB"],
    [10188, "9.9KiB"],
    [10189, "10KiB"],
    [39_936, "39KiB"],
    [1024 * 1024 - 1, "1024KiB"],
    [5 * 1024 ** 3, "5.0GiB"],
    [2 ** 60, "1.0EiB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });

  test("a tie above 10 goes to the even number, as in mc", () => {
    expect(formatSize(38.5 * 1024)).toBe("38KiB");
    expect(formatSize(39.5 * 1024)).toBe("40KiB");
  });
});

describe("times", () => {
  const china = () => ({ offsetMs: 8 * 3_600_000, suffix: " CST]" });

  test("are local, with the zone's abbreviation", () => {
    expect(createTimeFormat(china)(Date.UTC(2025, 7, 1, 2, 1, 8))).toBe(
      "[2025-08-01 10:01:08 CST]",
    );
  });

  test("before 1970 count backwards", () => {
    expect(createTimeFormat(china)(-1)).toBe("[1970-01-01 07:59:59 CST]");
  });

  test("follow the zone through a change of clocks", () => {
    const change = Date.UTC(2025, 2, 30, 1);
    const berlin = (ms: number) =>
      ms < change
        ? { offsetMs: 3_600_000, suffix: " CET]" }
        : { offsetMs: 7_200_000, suffix: " CEST]" };
    const format = createTimeFormat(berlin);
    expect(format(change - 1000)).toBe("[2025-03-30 01:59:59 CET]");
    expect(format(change)).toBe("[2025-03-30 03:00:00 CEST]");
    expect(format(change - 1000)).toBe("[2025-03-30 01:59:59 CET]");
  });

  test("ask for the zone once for each quarter of an hour", () => {
    let asked = 0;
    const format = createTimeFormat(() => {
      asked += 1;
      return china();
    });
    for (let line = 0; line < 1_000_000; line += 1)
      format(Date.UTC(2025, 0, 1) + (line % 1800) * 1000);
    expect(asked).toBe(2);
  });

  test("in this process's zone agree with Date", () => {
    const format = createTimeFormat();
    for (const ms of [0, Date.UTC(2024, 1, 29, 23, 59, 59), Date.UTC(2025, 6, 1, 12)]) {
      const date = new Date(ms);
      const two = (value: number) => String(value).padStart(2, "0");
      const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
      const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
      expect(format(ms)).toMatch(new RegExp(`^\\[${day} ${clock} [A-Z0-9+-]+\\]$`));
    }
  });
});

test.each([
  [0, "0s"],
  [0.043, "0.04s"],
  [59.4, "59s"],
  [65, "1m05s"],
  [7380, "2h03m"],
  [3 * 86_400 + 4 * 3600, "3d04h"],
])("%d seconds are %s", (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test.each([
  [1, "1 object"],
  [0, "0 objects"],
  [1_234_567, "1,234,567 objects"],
])("%d counted is %s", (count, text) => {
  expect(formatCount(count, "object")).toBe(text);
});
