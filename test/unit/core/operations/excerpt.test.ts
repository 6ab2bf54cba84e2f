import { brotliCompressSync, gzipSync } from "node:zlib";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ExcerptRequest, head, tail } from "../../../../src/core/operations/excerpt.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { cases } from "../../../support/cases.js";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
});
afterAll(() => bucket.close());

async function text(
  excerpt: (request: ExcerptRequest) => AsyncIterable<Uint8Array>,
  key: string,
  count: ExcerptRequest["count"],
  raw = false,
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of excerpt({ storage: bucket.storage, key, count, raw })) {
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString();
}

const LINES = Array.from({ length: 120_000 }, (_, i) => `line ${i}\n`);
const BIG = LINES.join("");

describe.each([
  ["plain", "big.txt", (data: Buffer) => data],
  ["gzip", "big.txt.gz", (data: Buffer) => gzipSync(data)],
  ["br", "big.txt.br", (data: Buffer) => brotliCompressSync(data, { params: { 1: 1 } })],
])("of %s", (_name, key, compress) => {
  beforeAll(() => bucket.put(key, compress(Buffer.from(BIG))));

  it.each([0, 1, 3, 60_000, 200_000])("the first and last %i lines", async (lines) => {
    expect(await text(head, key, { lines })).toBe(LINES.slice(0, lines).join(""));
    expect(await text(tail, key, { lines })).toBe(lines === 0 ? "" : LINES.slice(-lines).join(""));
  });

  it("the first and last bytes", async () => {
    expect(await text(head, key, { bytes: 7 })).toBe("line 0\n");
    expect(await text(tail, key, { bytes: 12 })).toBe(BIG.slice(-12));
  });
});

it("is what the lines are, with or without a last line feed", async () => {
  const line = fc.constantFrom("", "a", "bb", "ünï");
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.boolean(), fc.nat(6), async (parts, ends, lines) => {
      const content = parts.join("\n") + (ends ? "\n" : "");
      await bucket.put("lines", content);
      const all = content.split(/(?<=\n)/);
      expect(await text(head, "lines", { lines })).toBe(all.slice(0, lines).join(""));
      const last = lines === 0 ? [] : all.slice(-lines);
      expect(await text(tail, "lines", { lines })).toBe(last.join(""));
    }),
    cases(60),
  );
});

it("takes Content-Encoding's word before the name's, and --raw's before both", async () => {
  await bucket.storage.write("encoded", gzipSync("a\nb\n"), { contentEncoding: "gzip" });
  expect(await text(head, "encoded", { lines: 1 })).toBe("a\n");
  expect(await text(tail, "encoded", { lines: 1 })).toBe("b\n");
  expect((await text(head, "encoded", { bytes: 2 }, true)).length).toBe(2);
});

it("says when it is not what it is called", async () => {
  await bucket.put("plain.gz", "not compressed at all");
  for (const excerpt of [head, tail]) {
    await expect(text(excerpt, "plain.gz", { lines: 1 })).rejects.toMatchObject({
      code: "BadCompression",
      kind: "conflict",
    });
  }
  expect(await text(tail, "plain.gz", { lines: 1 }, true)).toBe("not compressed at all");
});
