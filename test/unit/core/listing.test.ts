import { describe, expect, it } from "vitest";

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
  it("goes past what is skipped instead of through it, and loses nothing beside it", async () => {
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
});
