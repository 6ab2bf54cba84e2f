import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sum, type SumOptions } from "../../../../src/core/operations/sum.js";
import { sumUploads } from "../../../../src/core/operations/uploads.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { compareKeys } from "../../../../src/core/storage/key-order.js";
import type { Entry, ListOptions } from "../../../../src/core/storage/storage.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
});
afterAll(() => bucket.close());

/** A storage that only lists: `size` bytes under each key. */
function listing(sizes: Readonly<Record<string, number>>): BucketStorage {
  const list = async function* ({ prefix = "", pageSize = 3 }: ListOptions = {}) {
    const entries = Object.keys(sizes)
      .toSorted(compareKeys)
      .filter((key) => key.startsWith(prefix))
      .map((key): Entry => ({ type: "object", key, size: sizes[key]! }));
    for (let at = 0; at < entries.length; at += pageSize) yield entries.slice(at, at + pageSize);
  };
  return { list } as unknown as BucketStorage;
}

async function sums(storage: BucketStorage, key: string, options: SumOptions) {
  const lines: string[] = [];
  for await (const { name, objects, bytes } of sum(storage, key, options)) {
    lines.push(`${name} ${objects} ${bytes}`);
  }
  return lines;
}

describe("sum", () => {
  const storage = listing({ "a/1": 1, "a/b/2": 2, "a/b/c/3": 4, a0: 8, "z/z.TXT": 16, "z/.x": 32 });

  it.each<[string, SumOptions, string[]]>([
    ["", {}, [" 6 63"]],
    ["", { depth: 1 }, ["a/ 3 7", "z/ 2 48", " 6 63"]],
    ["", { depth: 2 }, ["a/b/ 2 6", "a/ 3 7", "z/ 2 48", " 6 63"]],
    ["a", { depth: 1 }, ["a/b/ 2 6", " 3 7"]],
    ["a/", { depth: 9 }, ["a/b/c/ 1 4", "a/b/ 2 6", " 3 7"]],
    ["", { by: "extension" }, ["(none) 5 47", ".txt 1 16", " 6 63"]],
    ["", { by: "class" }, ["STANDARD 6 63", " 6 63"]],
    ["", { by: "age" }, ["(unknown) 6 63", " 6 63"]],
  ])("of %j with %j", async (key, options, lines) => {
    expect(await sums(storage, key, options)).toEqual(lines);
  });

  it("gives each prefix once, with its sum, and a total of everything", async () => {
    const key = fc
      .array(fc.constantFrom("a", "b", "a-", ""), { minLength: 1, maxLength: 4 })
      .map((names) => names.join("/"))
      .filter((name) => name !== "");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, fc.nat(9)), fc.nat(3), async (sizes, depth) => {
        const all: Record<string, number> = {};
        for await (const { name, bytes } of sum(listing(sizes), "", { depth })) {
          expect(Object.hasOwn(all, name)).toBe(false);
          all[name] = bytes;
        }
        const prefixes = new Set(
          Object.keys(sizes).flatMap((name) =>
            name
              .split("/")
              .slice(0, -1)
              .slice(0, depth)
              .map((_, i, parts) => `${parts.slice(0, i + 1).join("/")}/`),
          ),
        );
        expect(new Set(Object.keys(all))).toEqual(new Set([...prefixes, ""]));
        for (const [name, bytes] of Object.entries(all)) {
          const below = Object.keys(sizes).filter((one) => one.startsWith(name));
          expect(bytes).toBe(below.reduce((total, one) => total + sizes[one]!, 0));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("sumUploads", () => {
  it("counts the parts that no listing shows", async () => {
    const uploadId = await bucket.storage.createUpload("logs/big");
    await bucket.storage.uploadPart("logs/big", uploadId, 1, Buffer.alloc(700));
    await bucket.storage.uploadPart("logs/big", uploadId, 2, Buffer.alloc(70));
    expect(await sumUploads(bucket.storage, { key: "logs" })).toEqual({ count: 1, bytes: 770 });
    expect(await sumUploads(bucket.storage, { key: "log" })).toEqual({ count: 0, bytes: 0 });
  });
});
