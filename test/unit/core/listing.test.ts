import { describe, expect, it } from "vitest";

import type { Filter } from "../../../src/core/filter.js";
import { listKey } from "../../../src/core/listing.js";
import { compareKeys } from "../../../src/core/storage/key-order.js";
import type { BucketStorage } from "../../../src/core/storage/s3-types.js";
import type { Entry, ListOptions } from "../../../src/core/storage/storage.js";

/** A storage that lists these keys, and counts the pages it was asked for. */
function listing(keys: readonly string[], pageSize: number) {
  const sorted = keys.toSorted(compareKeys);
  const asked = { pages: 0 };
  const list = async function* ({ prefix = "", startAfter = "" }: ListOptions = {}) {
    const entries = sorted
      .filter((key) => key.startsWith(prefix) && compareKeys(key, startAfter) > 0)
      .map((key): Entry => ({ type: "object", key, size: 1 }));
    for (let at = 0; at < entries.length; at += pageSize) {
      asked.pages += 1;
      yield entries.slice(at, at + pageSize);
    }
  };
  return { storage: { list } as unknown as BucketStorage, asked };
}

describe("listKey", () => {
  it("jumps over skipped names instead of reading them, and loses no other name", async () => {
    const skipped = Array.from({ length: 500 }, (_, i) => `.git/objects/\u{10ffff}${i}`);
    const wanted = ["a", "b/.git", "b/.gitignore", "b/\u{10ffff}", ".git", ".gitx", ".git0"];
    const { storage, asked } = listing([...skipped, ...wanted], 10);
    const found: string[] = [];
    const filter = { exclude: [".git/"] };
    for await (const { entries } of listKey(storage, "", { recursive: true, filter })) {
      found.push(...entries.map(({ key }) => key));
    }
    expect(found).toEqual(wanted.toSorted(compareKeys));
    expect(asked.pages).toBeLessThan(6);
  });

  it("keeps the order of keys where it jumps, whatever order was asked for", async () => {
    const { storage } = listing(["a", "a2", "b/1", "b/2", "c"], 2);
    const list = storage.list.bind(storage);
    // As pages come over several connections: those of the end first.
    storage.list = async function* (options = {}) {
      const pages: Entry[][] = [];
      for await (const page of list(options)) pages.push(page);
      yield* options.order === "any" ? pages.reverse() : pages;
    };
    const of = async (filter: Filter) => {
      const found: string[] = [];
      const options = { recursive: true, order: "any", filter } as const;
      for await (const { entries } of listKey(storage, "", options)) {
        found.push(...entries.map(({ key }) => key));
      }
      return found;
    };
    expect(await of({ maxDepth: 1 })).toEqual(["a", "a2", "c"]);
    expect(await of({ exclude: ["b"] })).toEqual(["a", "a2", "c"]);
    expect((await of({ minSize: 1 })).length).toBe(5);
  });
});
