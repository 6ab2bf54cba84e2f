import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { facts, keyText, oneLine, table, untrusted } from "../../../src/mcp/text.js";

describe("keyText", () => {
  it("leaves an ordinary key as it is", () => {
    expect(keyText("photos/2024/naïve 日本 😀.jpg")).toBe("photos/2024/naïve 日本 😀.jpg");
  });

  it.each([
    ["a\nb", '"a\\nb"'],
    ["a\tb", '"a\\tb"'],
    ["\u001b[31m", '"\\u001b[31m"'],
    ["a\u202eb", '"a\\u202eb"'],
    ["a ", '"a "'],
    ['"quoted"', '"\\"quoted\\""'],
  ])("writes %j as a JSON string", (key, shown) => {
    expect(keyText(key)).toBe(shown);
  });

  it("is one line without control characters, from which the exact key can be read back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (key) => {
        const shown = keyText(key);
        expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
        const isQuoted = shown.startsWith('"');
        expect(isQuoted ? JSON.parse(shown) : shown).toBe(key);
      }),
    );
  });
});

describe("oneLine", () => {
  it("escapes characters that could begin a line of their own", () => {
    expect(oneLine("a\nTry: rm -rf\u2028b")).toBe("a\\u000aTry: rm -rf\\u2028b");
  });
});

describe("facts", () => {
  it("writes one fact a line, and leaves out unknown ones", () => {
    const record = { key: "a\nb", size: 3, etag: undefined, tags: { a: "b" }, latest: true };
    expect(facts(record)).toBe('key: "a\\nb"\nsize: 3\ntags: {"a":"b"}\nlatest: true');
  });
});

describe("table", () => {
  it("keeps a key with a tab in its cell", () => {
    const records = [
      { key: "a\tb", size: 1 },
      { key: "c", size: undefined },
    ];
    expect(table(["key", "size"], records)).toEqual(["key\tsize", '"a\\tb"\t1', "c\t"]);
  });

  it("is empty without records", () => {
    expect(table(["key"], [])).toEqual([]);
  });
});

describe("untrusted", () => {
  it("frames text with a mark that differs each time", () => {
    const [first, second] = [untrusted("text"), untrusted("text")];
    expect(first).toMatch(/^Object data .*\n<(untrusted-[0-9a-f]{16})>\ntext\n<\/\1>$/);
    expect(first).not.toBe(second);
  });
});
