import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { matchesWildcard } from "../../../../src/store/access/wildcard.js";

describe("a pattern with wildcards", () => {
  it("matches what the same regular expression matches", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (pattern, subject) => {
        const source = pattern.replaceAll("*", ".*").replaceAll("?", ".");
        expect(matchesWildcard(pattern, subject)).toBe(new RegExp(`^${source}$`).test(subject));
      }),
    );
  });

  it("with many stars is decided without trying every split", () => {
    expect(matchesWildcard("*a".repeat(200) + "b", "a".repeat(5000))).toBe(false);
  });
});
