/** How equal the ranges are that a sample of pages gives, for keys of every shape. */
import { expect, it } from "vitest";

import { holds, isTiling, rangesBetween } from "../../src/core/key-range.js";
import { cutWeighted } from "../../src/core/split/quantiles.js";
import { sampleKeys } from "../../src/core/split/sample.js";
import { compareKeys } from "../../src/core/storage/key-order.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import type { Entry, ListOptions } from "../../src/core/storage/storage.js";
import { shapes } from "../unit/core/storage/split/shapes.js";

const { signal } = new AbortController();

/** A bucket with these keys, in order, and how many pages it was asked for. */
function bucketOf(keys: readonly string[]) {
  const asked = { pages: 0 };
  const list = async function* ({ startAfter = "" }: ListOptions = {}) {
    let at = 0;
    for (let high = keys.length; at < high;) {
      const middle = (at + high) >> 1;
      if (compareKeys(keys[middle]!, startAfter) <= 0) at = middle + 1;
      else high = middle;
    }
    for (; at < keys.length; at += 1000) {
      asked.pages += 1;
      yield keys.slice(at, at + 1000).map((key): Entry => ({ type: "object", key, size: 1 }));
    }
  };
  const storage = { list, bucket: "b" } as unknown as BucketStorage;
  return { storage, asked };
}

it.each(Object.keys(shapes))("finds ranges of at most twice their share: %s", async (name) => {
  const keys = shapes[name]!(500_000);
  const { storage, asked } = bucketOf(keys);
  const stretches = await sampleKeys(storage, "", 600, signal);
  expect(asked.pages).toBeLessThanOrEqual(600);
  const ranges = rangesBetween(cutWeighted(stretches, 8).boundaries);
  expect(isTiling(ranges)).toBe(true);
  const counts = ranges.map(() => 0);
  let at = 0;
  for (const key of keys) {
    while (!holds(ranges[at]!, key)) at += 1;
    counts[at]! += 1;
  }
  expect(Math.max(...counts)).toBeLessThan((keys.length / 8) * 2);
});
