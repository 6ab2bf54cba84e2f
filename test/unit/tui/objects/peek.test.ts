import * as zlib from "node:zlib";

import { describe, expect, it } from "vitest";

import type { Deps } from "../../../../src/tui/controller/deps.js";
import { matcher } from "../../../../src/tui/list/match.js";
import { peek } from "../../../../src/tui/pages/objects/peek.js";
import { inStyles, readable } from "../../../../src/tui/pages/preview/readable.js";
import type { Action } from "../../../../src/tui/state/actions.js";

const { gzipSync } = zlib;

/** A file in a tar, or a header for the next one. */
function tarEntry(name: string, type: string, size: number, content = ""): Buffer {
  const entry = Buffer.alloc(512 + Math.ceil(size / 512) * 512);
  entry.write(name, 0, 100);
  entry.write(size.toString(8).padStart(11, "0"), 124);
  entry.write(type, 156);
  entry.write("ustar", 257);
  entry.write(content, 512);
  return entry;
}

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

  it("of a tar is the files in it, also below gzip, with names of any length", () => {
    const long = `${"d/".repeat(70)}long.txt`;
    const files = [
      tarEntry("one.txt", "0", 5),
      tarEntry("dir/", "5", 0),
      tarEntry("././@LongLink", "L", long.length + 1, long),
      tarEntry(long.slice(0, 100), "0", 1),
      tarEntry("pax", "x", 30, "28 path=\u00e9.txt\n"),
      tarEntry("e.txt", "0", 1000),
    ];
    const tar = Buffer.concat([...files, Buffer.alloc(1024)]);
    const expected = [
      "       5B  one.txt",
      "       0B  dir/",
      `       1B  ${long}`,
      "    1000B  é.txt",
    ];
    expect(headLines(tar, tar.length)).toEqual(expected);
    expect(headLines(gzipSync(tar), 300, "a.tgz")).toEqual(expected);
    expect(headLines(tar.subarray(0, 600), tar.length)).toEqual(expected.slice(0, 1));
  });

  it.runIf("zstdCompressSync" in zlib)("of zstd is unpacked, where Node can", () => {
    const { zstdCompressSync } = zlib as unknown as { zstdCompressSync: (text: Buffer) => Buffer };
    const packed = zstdCompressSync(Buffer.from("line of text\n".repeat(9)));
    expect(headLines(packed, packed.length, "a.log.zst")?.[8]).toBe("line of text");
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

describe("the pane", () => {
  it("asks little of a large archive, and nothing of what the cursor only passes", async () => {
    const [name, count] = ["n".repeat(100), 20_000];
    const entry = Buffer.alloc(46 + name.length, name);
    entry.fill(0, 0, 46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(name.length, 28);
    const end = Buffer.alloc(22);
    const directory = Buffer.concat(Array.from({ length: count }, () => entry));
    const first = Buffer.from("PK\u0003\u0004");
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(count, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(first.length, 16);
    const whole = Buffer.concat([first, directory, end]);
    const asked: string[] = [];
    let bytes = 0;
    const storage = {
      stat: async (key: string) => {
        asked.push(`stat ${key}`);
        return { key, size: whole.length, etag: "e" };
      },
      read: async (key: string, options: { range: { start: number; end: number } }) => {
        asked.push(`read ${key}`);
        const part = whole.subarray(options.range.start, options.range.end + 1);
        bytes += part.length;
        return {
          body: (async function* () {
            yield part;
          })(),
        };
      },
    };
    const shown: Action[] = [];
    let turn = new AbortController();
    const deps = {
      context: { bucket: async () => storage },
      dispatch: (action: Action) => shown.push(action),
      latest: () => {
        turn.abort();
        turn = new AbortController();
        return turn.signal;
      },
    } as unknown as Deps;
    const room = { columns: 10, rows: 10, drawn: false };
    const at = (key: string) => ({
      type: "peek" as const,
      row: "",
      page: 1,
      object: { alias: "a", bucket: "b", key },
      room,
    });
    const { signal } = new AbortController();
    const passed = ["1.zip", "2.zip", "3.zip"].map(async (key) => peek(deps, at(key), signal));
    await Promise.all(passed);
    expect(asked).toEqual(["stat 3.zip", "read 3.zip", "read 3.zip", "read 3.zip"]);
    expect(bytes).toBeLessThan(1.2 * 1024 * 1024);
    expect(shown).toMatchObject([
      { type: "peeked", peek: { key: "3.zip", text: { lines: expect.any(Array) } } },
    ]);
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
