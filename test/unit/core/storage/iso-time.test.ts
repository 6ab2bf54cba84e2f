import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isoTime } from "../../../../src/core/storage/iso-time.js";

const read = (text: string) => isoTime(`<x>${text}</x>`, 3, 3 + text.length);

describe("isoTime", () => {
  it("reads what Date writes", () => {
    const date = fc.date({
      min: new Date("1970-01-01"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (time) => {
        expect(read(time.toISOString())).toBe(time.getTime());
      }),
    );
  });

  it.each([
    ["2024-02-29T01:02:03Z", "2024-02-29T01:02:03.000Z"],
    ["2024-02-29T01:02:03.5Z", "2024-02-29T01:02:03.500Z"],
    ["2024-02-29T01:02:03.123456789Z", "2024-02-29T01:02:03.123Z"],
    ["2024-02-29T01:02:03+02:00", "2024-02-28T23:02:03.000Z"],
    [" 2024-02-29T01:02:03.000Z ", "2024-02-29T01:02:03.000Z"],
    ["Thu, 29 Feb 2024 01:02:03 GMT", "2024-02-29T01:02:03.000Z"],
  ])("reads %s", (text, expected) => {
    expect(new Date(read(text)!).toISOString()).toBe(expected);
  });

  it.each(["", "yesterday", "2024-99-99T00:00:00.000Z", "2024-02-29Txx:00:00.000Z"])(
    "knows that %j is no time",
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );
});
