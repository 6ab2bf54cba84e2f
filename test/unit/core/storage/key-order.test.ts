import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareKeys } from "../../../../src/core/storage/key-order.js";

describe("compareKeys", () => {
  it("puts characters beyond the BMP last", () => {
    const keys = ["\u{10000}", "\uffff", "\ue000", "\ud7ff", "a"];
    expect(keys.sort(compareKeys)).toEqual(["a", "\ud7ff", "\ue000", "\uffff", "\u{10000}"]);
  });

  it("puts a key before longer keys that begin with it", () => {
    expect(compareKeys("a", "a/")).toBeLessThan(0);
    expect(compareKeys("", "a")).toBeLessThan(0);
    expect(compareKeys("a", "a")).toBe(0);
  });

  it("agrees with the order of the UTF-8 bytes", () => {
    const alphabet = fc.constantFrom("a", "/", "\u00e9", "\ud7ff", "\ue000", "\uffff", "\u{1f600}");
    const key = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ unit: alphabet, maxLength: 8 }),
    );
    fc.assert(
      fc.property(key, key, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareKeys(a, b))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
