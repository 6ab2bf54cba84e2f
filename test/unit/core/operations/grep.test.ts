import { brotliCompressSync, gzipSync } from "node:zlib";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  grep,
  type GrepEnd,
  type GrepEvent,
  type GrepRequest,
} from "../../../../src/core/operations/grep.js";
import { lineFinder } from "../../../../src/core/operations/line-finder.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import type { Entry, ReadOptions } from "../../../../src/core/storage/storage.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { cases } from "../../../support/cases.js";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
});
afterAll(() => bucket.close());

interface Options extends Partial<GrepRequest> {
  readonly regex?: boolean;
  readonly ignoreCase?: boolean;
}

async function run(prefix: string, pattern: string, options: Options = {}) {
  const { storage = bucket.storage, from } = options;
  const pages = storage.list({ prefix, startAfter: from?.after });
  const find = await lineFinder(pattern, options);
  const events: GrepEvent[] = [];
  for await (const event of grep({ storage, pages, find, ...options })) {
    events.push(event);
  }
  const end = events.at(-1) as GrepEnd;
  const lines = events.flatMap((event) =>
    event.type === "line" ? [`${event.entry.key}:${event.line}:${event.text}`] : [],
  );
  const skipped = events.flatMap((event) =>
    event.type === "skipped" ? [`${event.entry.key} ${event.error.code}`] : [],
  );
  return { events, lines, skipped, end };
}

/** Objects in memory, which come in chunks of a size. */
function inMemory(objects: ReadonlyMap<string, Buffer>, chunk: number) {
  const entries = [...objects].map(([key, content]) => ({
    type: "object" as const,
    key,
    size: content.length,
    etag: key,
  }));
  return {
    list: async function* ({ startAfter = "" }: { startAfter?: string | undefined }) {
      yield entries.filter(({ key }) => key > startAfter);
    },
    read: async (key: string, { range, ifMatch }: ReadOptions = {}) => {
      expect([undefined, key]).toContain(ifMatch);
      const content = objects.get(key)!.subarray(range?.start ?? 0);
      const chunks = async function* () {
        for (let at = 0; at < content.length; at += chunk) yield content.subarray(at, at + chunk);
      };
      return { info: { key, etag: key }, body: chunks() };
    },
  };
}

it("is what a search line by line finds, wherever chunks end and limits cut it", async () => {
  const line = fc.string({
    unit: fc.constantFrom("a", "b", "A", "ü", "😀", " ", "\r"),
    maxLength: 9,
  });
  const object = fc.record({
    lines: fc.array(line, { maxLength: 12 }),
    ends: fc.boolean(),
    kind: fc.constantFrom("txt", "gz", "br"),
  });
  const pack = { txt: (b: Buffer) => b, gz: gzipSync, br: brotliCompressSync };
  await fc.assert(
    fc.asyncProperty(
      fc.array(object, { maxLength: 12 }),
      fc.constantFrom("a", "ab", "ü", "b a"),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 60 }),
      async (objects, pattern, regex, ignoreCase, maxLines, maxBytes) => {
        const expected: string[] = [];
        const contents = new Map<string, Buffer>();
        const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
        for (const [index, { lines, ends, kind }] of objects.entries()) {
          const key = `${String(index).padStart(2, "0")}.${kind}`;
          const content = lines.join("\n") + (ends && lines.length > 0 ? "\n" : "");
          contents.set(key, pack[kind](Buffer.from(content)));
          for (const [at, text] of lines.entries()) {
            const bare = text.replace(/\r$/, "");
            if (fold(text).includes(fold(pattern))) expected.push(`${key}:${at + 1}:${bare}`);
          }
        }
        const storage = inMemory(contents, maxBytes) as unknown as BucketStorage;
        const all = await run("", pattern, { storage, regex, ignoreCase });
        expect(all.lines).toEqual(expected);
        expect(all.end).toMatchObject({ objects: objects.length, lines: expected.length });

        const found: string[] = [];
        let next: GrepEnd["next"] | null = null;
        for (let calls = 0; next !== undefined && calls < 500; calls += 1) {
          const limits = { storage, regex, ignoreCase, maxLines, maxBytes };
          const part = await run("", pattern, { ...limits, from: next ?? undefined });
          expect(part.lines.length).toBeLessThanOrEqual(maxLines);
          found.push(...part.lines);
          ({ next } = part.end);
        }
        expect(found).toEqual(expected);
      },
    ),
    cases(100),
  );
});

describe("lines and objects that are unusual", () => {
  it("names what is no text, what is badly compressed and what is gone, and goes on", async () => {
    await bucket.put("odd/1.bin", Buffer.from([0x61, 0, 0x62]));
    await bucket.put("odd/2.gz", "word, not gzip");
    await bucket.put("odd/4.txt", "the word\n");
    const { lines, skipped, end } = await run("odd/", "word", {
      pages: withGone(bucket.storage.list({ prefix: "odd/" }), "odd/3.txt"),
    });
    expect(lines).toEqual(["odd/4.txt:1:the word"]);
    expect(skipped).toEqual([
      "odd/1.bin NotText",
      "odd/2.gz BadCompression",
      "odd/3.txt NoSuchKey",
    ]);
    expect(end).toMatchObject({ objects: 1, matched: 1, lines: 1 });
  });

  it("looks into what is binary or compressed as it is, when told to", async () => {
    await bucket.put("raw/1.bin", Buffer.from("a\0word"));
    const raw = gzipSync("x".repeat(100));
    await bucket.put("raw/2.gz", raw);
    const { lines } = await run("raw/", "word", { binary: true });
    expect(lines).toEqual(["raw/1.bin:1:a\0word"]);
    const bytes = await run("raw/2", "x", { raw: true, binary: true });
    expect(bytes.skipped).toEqual([]);
    expect(bytes.end.bytes).toBe(raw.length);
  });

  it("hands out only so much of a long line, around the match, in whole characters", async () => {
    await bucket.put("long.txt", `${"ä".repeat(5000)}needle${"ö".repeat(5000)}\nshort needle\n`);
    const { events } = await run("long.txt", "needle", { keep: 99 });
    const [first, second] = events as Extract<GrepEvent, { type: "line" }>[];
    expect(first!.cut).toBe(true);
    expect(Buffer.byteLength(first!.text)).toBeLessThanOrEqual(99);
    expect(first!.text).toMatch(/^ä+needleö+$/);
    expect(second).toMatchObject({ line: 2, text: "short needle", cut: false, offset: 20_007 });
  });

  it("numbers lines behind one that is longer than is looked at in one piece", async () => {
    await bucket.put("huge.txt", `${"x y".repeat(2_000_000)}\nnext x\n`);
    const { events } = await run("huge.txt", "x", { keep: 10 });
    const told = events.flatMap((event) => (event.type === "line" ? [event.line] : []));
    expect(told).toEqual([1, 2]);
  });

  it("skips an object that has changed since its place was noted", async () => {
    await bucket.put("moving.txt", "one word\ntwo word\n");
    const first = await run("moving.txt", "word", { maxLines: 1 });
    await bucket.put("moving.txt", "other word\nother word\n");
    const second = await run("moving.txt", "word", { from: first.end.next });
    expect(second).toMatchObject({ lines: [], skipped: ["moving.txt PreconditionFailed"] });
  });

  it("stops reading when nobody takes more", async () => {
    await bucket.put("many.txt", "word\n".repeat(3_000_000));
    const find = await lineFinder("word");
    const pages = bucket.storage.list({ prefix: "many.txt" });
    let taken = 0;
    for await (const event of grep({ storage: bucket.storage, pages, find })) {
      if (event.type === "line") taken += 1;
      if (taken === 3) break;
    }
    expect(taken).toBe(3);
  });

  it("ends when it is told to", async () => {
    const { storage } = bucket;
    const find = await lineFinder("x");
    const signal = AbortSignal.abort();
    const pages = bucket.storage.list({});
    await expect(async () => {
      for await (const _ of grep({ storage, pages, find, signal })) void _;
    }).rejects.toMatchObject({ kind: "interrupted" });
  });
});

describe("patterns", () => {
  it.each([
    ["", {}],
    ["a\nb", {}],
    ["(", { regex: true }],
    [String.raw`(a)\1`, { regex: true }],
    ["(?=a)", { regex: true }],
  ])("%j is refused", async (pattern, options) => {
    await expect(lineFinder(pattern, options)).rejects.toMatchObject({ code: "InvalidPattern" });
  });

  it("takes a literal for what it is, also without regard to case", async () => {
    await bucket.put("lit.txt", "a.*(b\nA.*(B\nab\n");
    expect((await run("lit.txt", "a.*(b")).lines).toEqual(["lit.txt:1:a.*(b"]);
    expect((await run("lit.txt", "a.*(b", { ignoreCase: true })).lines).toHaveLength(2);
    expect((await run("lit.txt", "^a.*b$", { regex: true })).lines).toHaveLength(2);
  });

  it("is not led astray by an expression that other engines never come back from", async () => {
    await bucket.put("evil.txt", `${"a".repeat(100_000)}\n`);
    const { lines } = await run("evil.txt", "(a*)*(a*)*(a*)*b$", { regex: true });
    expect(lines).toEqual([]);
  });
});

async function* withGone(pages: AsyncIterable<readonly Entry[]>, key: string) {
  for await (const page of pages) {
    const all = [...page, { type: "object", key, size: 5 } as const];
    yield all.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }
}
