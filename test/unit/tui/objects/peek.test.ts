import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { matcher } from "../../../../src/tui/list/match.js";
import { inStyles, readable } from "../../../../src/tui/pages/preview/readable.js";

function headLines(bytes: Buffer, size: number, key = "a") {
  const content = readable(bytes, 0, { key, size });
  return content.type === "text" ? content.lines : undefined;
}

describe("the head of an object", () => {
  it("is text as it is, JSON laid out, gzip unpacked, and nothing else", () => {
    expect(headLines(Buffer.from("a\nb\n"), 4)).toEqual(["a", "b"]);
    expect(headLines(Buffer.from('{"a":[1]}'), 9)).toEqual(["{", '  "a": [', "    1", "  ]", "}"]);
    expect(headLines(gzipSync("packed text"), 31)).toEqual(["packed text"]);
    expect(headLines(Buffer.from([0, 1, 2]), 3)).toBeUndefined();
    expect(headLines(Buffer.from([0x1f, 0x8b, 9, 9, 9]), 5)).toBeUndefined();
  });

  it("keeps every value of JSON as it is written, and says which part is what", () => {
    const text = '{"a":12345678901234567890,"a":1.0,"b":[],"c":{"d":"x, {y}: \\""},"e":null}';
    const content = readable(Buffer.from(text), 0, { key: "a.json", size: text.length });
    if (content.type !== "text") throw new Error("it is text");
    expect(content.lines).toEqual([
      "{",
      '  "a": 12345678901234567890,',
      '  "a": 1.0,',
      '  "b": [],',
      '  "c": {',
      '    "d": "x, {y}: \\""',
      "  },",
      '  "e": null',
      "}",
    ]);
    const styles = (line: number) =>
      inStyles(content.lines[line]!, content, line)
        .filter(({ style }) => style !== undefined)
        .map(({ text, style }) => `${text} ${style}`);
    expect(styles(1)).toEqual(['"a": accent', "12345678901234567890 warning"]);
    expect(styles(5)).toEqual(['"d": accent', '"x, {y}: \\"" success']);
    expect(styles(7)).toEqual(['"e": accent', "null mark"]);
  });

  it("puts the fields of CSV below each other, whatever is in them", () => {
    const csv = 'name,n\r\n"a, ""b""",1\r\n\u001B[2J日本,22,more\r\n';
    expect(headLines(Buffer.from(csv), Buffer.byteLength(csv), "t.csv")).toEqual([
      "name         n",
      'a, "b"       1',
      "\\x1b[2J日本  22  more",
    ]);
    expect(headLines(Buffer.from("a;b\n1;2"), 7, "t.csv")).toEqual(["a  b", "1  2"]);
    expect(headLines(gzipSync("a\tbb\n1\t2"), 8, "t.tsv.gz")).toEqual(["a  bb", "1  2"]);
  });

  it("of a gzip that is cut is what can be unpacked of it", () => {
    const packed = gzipSync(Buffer.from("line of text\n".repeat(5000)));
    expect(headLines(packed.subarray(0, 150), packed.length)?.[0]).toBe("line of text");
  });

  it("of a gzip bomb is no larger than the pane needs", () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x61));
    const lines = headLines(bomb.subarray(0, 16_384), bomb.length);
    expect((lines ?? []).join("").length).toBeLessThanOrEqual(65_536);
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
