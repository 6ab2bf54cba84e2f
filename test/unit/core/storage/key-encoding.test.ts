import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decodeKey } from "../../../../src/core/storage/key-encoding.js";

describe("decodeKey", () => {
  it("undoes the encoding of any key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (key) => {
        const encoded = encodeURIComponent(key);
        expect(decodeKey(encoded)).toBe(key);
        expect(decodeKey(encoded.replaceAll("%20", "+").toLowerCase())).toBe(
          decodeURIComponent(encoded.toLowerCase()),
        );
      }),
    );
  });

  it.each([
    ["a%FFb%C3%BC+", "a\ufffdb\u00fc "],
    ["100%", "100%"],
    ["%4", "%4"],
    ["%4g%g4%%41", "%4g%g4%A"],
    ["%41\u00fc\u4e2d", "A\u00fc\u4e2d"],
    [`${"%41".repeat(5000)}+`, `${"A".repeat(5000)} `],
  ])("reads %j", (text, key) => {
    expect(decodeKey(text)).toBe(key);
  });
});
