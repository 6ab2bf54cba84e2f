/** Random keys, in buckets of their own: kept exactly, listed in order. */
import fc from "fast-check";
import { expect } from "vitest";

import type { BucketPlace } from "./bucket-place.js";
import { bytesOf, keys } from "./storage.js";

/** Fails for a set of keys that is not kept; tries so many sets. */
export async function keepsAnyKeys(open: () => Promise<BucketPlace>, sets: number): Promise<void> {
  const key = fc
    .oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
      fc.string({ unit: fc.constantFrom("a", "/", ".", "%", " ", "\n"), minLength: 1 }),
    )
    .filter((one) => Buffer.byteLength(one) <= 1024);
  const keySets = fc.uniqueArray(key, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(keySets, async (all) => {
      const place = await open();
      const { storage } = place;
      for (const one of all) await storage.write(one, Buffer.from(one));
      const ordered = all.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(await keys(storage)).toEqual(ordered);
      for (const one of all) {
        expect((await bytesOf(storage, one)).toString()).toBe(one);
        expect(await keys(storage, { prefix: one, startAfter: one })).toEqual(
          ordered.filter((other) => other !== one && other.startsWith(one)),
        );
      }
      const results = await storage.remove(all.map((one) => ({ key: one })));
      expect(results).toEqual(all.map((one) => ({ key: one })));
      expect(await keys(storage)).toEqual([]);
      await place.close();
    }),
    { numRuns: sets },
  );
}
