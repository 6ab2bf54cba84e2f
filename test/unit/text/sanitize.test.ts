import fc from "fast-check";
import { expect, test } from "vitest";

import { visible } from "../../../src/text/sanitize.js";

test.each([
  ["a\nb\tc\r", "a\\nb\\tc\\r"],
  ["\u001b]0;owned\u0007", "\\x1b]0;owned\\x07"],
  ["\u009b31m", "\\x9b31m"],
  ["photo\u202egpj.exe", "photo\\u202egpj.exe"],
  ["a\u2066b\u2069", "a\\u2066b\\u2069"],
  ["pay\u200bpal\ufeff", "pay\\u200bpal\\ufeff"],
  ["a\u{e0041}", "a\\u{e0041}"],
])("%j is shown as %s", (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("ordinary text, whatever its script, stays as it is", () => {
  for (const text of ["a b/ç/日本語", "🪣", "שלום", "100% #1?+", "👩\u200d🚀"])
    expect(visible(text)).toBe(text);
});

test("nothing that is shown can control a terminal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visible(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});
