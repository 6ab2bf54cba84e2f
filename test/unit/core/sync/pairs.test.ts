import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareKeys } from "../../../../src/core/storage/key-order.js";
import { type Listed, mergePairs, type Pair } from "../../../../src/core/sync/pairs.js";

const name = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "B", "/", ".", "\u{1F600}", "\uFFFD", "é"),
    minLength: 1,
  }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
);
const names = fc.uniqueArray(name, { maxLength: 40 }).map((all) => all.sort(compareKeys));

async function* inPages(names: readonly string[], size: number) {
  for (let at = 0; at < names.length; at += size) {
    await Promise.resolve();
    yield names.slice(at, at + size).map((one): Listed => ({ name: one, size: 1 }));
    yield [];
  }
}

async function gather(pairs: AsyncIterable<Pair[]>): Promise<Pair[]> {
  const all: Pair[] = [];
  for await (const batch of pairs) all.push(...batch);
  return all;
}

describe("merging two listings", () => {
  it("gives every name once, in key order, with what each side has", async () => {
    await fc.assert(
      fc.asyncProperty(names, names, fc.integer({ min: 1, max: 7 }), async (left, right, size) => {
        const pairs = await gather(mergePairs(inPages(left, size), inPages(right, 3)));
        const expected = [...new Set([...left, ...right])].sort(compareKeys);
        expect(pairs.map((pair) => pair.name)).toEqual(expected);
        for (const pair of pairs) {
          expect(pair.source?.name).toBe(left.includes(pair.name) ? pair.name : undefined);
          expect(pair.target?.name).toBe(right.includes(pair.name) ? pair.name : undefined);
        }
      }),
    );
  });

  it("refuses a listing that is out of order or names something twice", async () => {
    for (const wrong of [
      ["b", "a"],
      ["a", "a"],
      ["\u{10000}", "\uFFFF"],
    ]) {
      await expect(gather(mergePairs(inPages(wrong, 9), inPages([], 1)))).rejects.toMatchObject({
        code: "UnorderedListing",
      });
      await expect(gather(mergePairs(inPages([], 1), inPages(wrong, 1)))).rejects.toMatchObject({
        code: "UnorderedListing",
      });
    }
  });

  it("throws the failure of one listing, and releases the other one", async () => {
    let released = false;
    async function* endless() {
      try {
        for (let i = 0; ; i++) {
          await Promise.resolve();
          yield [{ name: String(1e9 + i), size: 1 }];
        }
      } finally {
        released = true;
      }
    }
    async function* broken() {
      yield [{ name: "1000000005", size: 1 }];
      await Promise.resolve();
      throw new Error("cut off");
    }
    await expect(gather(mergePairs(endless(), broken()))).rejects.toThrow("cut off");
    expect(released).toBe(true);
  });
});
