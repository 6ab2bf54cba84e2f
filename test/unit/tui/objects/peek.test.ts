import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { matcher } from "../../../../src/tui/list/match.js";
import { headLines } from "../../../../src/tui/pages/objects/peek.js";

describe("the head of an object", () => {
  it("is text as it is, JSON laid out, gzip unpacked, and nothing else", () => {
    expect(headLines(Buffer.from("a\nb\n"), 4)).toEqual(["a", "b"]);
    expect(headLines(Buffer.from('{"a":[1]}'), 9)).toEqual(["{", '  "a": [', "    1", "  ]", "}"]);
    expect(headLines(gzipSync("packed text"), 31)).toEqual(["packed text"]);
    expect(headLines(Buffer.from([0, 1, 2]), 3)).toBeUndefined();
    expect(headLines(Buffer.from([0x1f, 0x8b, 9, 9, 9]), 5)).toBeUndefined();
  });

  it("of a gzip that is cut is what can be unpacked of it", () => {
    const packed = gzipSync(Buffer.from("line of text\n".repeat(5000)));
    expect(headLines(packed.subarray(0, 150), packed.length)?.[0]).toBe("line of text");
  });

  it("of a gzip bomb is no larger than the pane needs", () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x61));
    const lines = headLines(bomb.subarray(0, 16_384), bomb.length);
    expect((lines ?? []).join("").length).toBeLessThanOrEqual(16_384);
  });
});

describe("a typed name", () => {
  it("finds by every word, or as a pattern of the whole name or its last part", () => {
    const finds = (text: string, name: string) => matcher(text)(name);
    expect(finds("two JPG", "a/Two.jpg")).toBe(true);
    expect(finds("two png", "a/two.jpg")).toBe(false);
    expect(finds("*.jpg", "a/b/two.JPG")).toBe(true);
    expect(finds("a/*/two.???", "a/b/two.jpg")).toBe(true);
    expect(finds("*.jpg", "two.jpg.bak")).toBe(false);
    expect(finds("[x].*", "[x].txt")).toBe(true);
  });
});
