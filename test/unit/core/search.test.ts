import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { answers, search } from "../../../src/core/search.js";
import type { BucketStorage } from "../../../src/core/storage/s3-types.js";
import { startBucket, type TestBucket } from "../../support/bucket.js";

describe("answers", () => {
  const object = { type: "object", key: "a/b.txt", size: 10, lastModified: 1000 } as const;

  it("compares size inclusively and time exclusively", () => {
    expect(answers({}, object)).toBe(true);
    expect(answers({ minSize: 10, maxSize: 10 }, object)).toBe(true);
    expect(answers({ minSize: 11 }, object)).toBe(false);
    expect(answers({ maxSize: 9 }, object)).toBe(false);
    expect(answers({ newerThan: 999, olderThan: 1001 }, object)).toBe(true);
    expect(answers({ newerThan: 1000 }, object)).toBe(false);
    expect(answers({ olderThan: 1000 }, object)).toBe(false);
  });

  it("counts an object of unknown time as neither newer nor older", () => {
    const timeless = { ...object, lastModified: undefined };
    expect(answers({ newerThan: 0 }, timeless)).toBe(false);
    expect(answers({ olderThan: Infinity }, timeless)).toBe(false);
    expect(answers({}, timeless)).toBe(true);
  });

  it("matches the glob below the prefix", () => {
    expect(answers({ glob: "*.txt" }, object)).toBe(true);
    expect(answers({ glob: "/*.txt" }, object)).toBe(false);
    expect(answers({ glob: "/*.txt", prefix: "a/" }, object)).toBe(true);
    expect(answers({ glob: "/b.txt", prefix: "a/b" }, object)).toBe(true);
  });
});

describe("search", () => {
  let bucket: TestBucket;
  let storage: BucketStorage;
  beforeAll(async () => {
    bucket = await startBucket();
    ({ storage } = bucket);
    for (let i = 0; i < 10; i++) await storage.write(`n/${i}.txt`, Buffer.alloc(i));
    await storage.write("other", Buffer.alloc(5));
  });
  afterAll(() => bucket.close());

  const keysOf = (result: { matches: { key: string }[] }) => result.matches.map(({ key }) => key);

  it("finds everything that matches", async () => {
    const result = await search(storage, { glob: "*.txt", minSize: 8 });
    expect(keysOf(result)).toEqual(["n/8.txt", "n/9.txt"]);
    expect(result).toMatchObject({ scanned: 11 });
    expect(result.resumeAfter).toBeUndefined();
  });

  it("looks only below the prefix", async () => {
    expect(await search(storage, { prefix: "o" })).toMatchObject({ scanned: 1 });
  });

  it("can be continued until every object has been seen", async () => {
    const found: string[] = [];
    let startAfter: string | undefined;
    let rounds = 0;
    do {
      const result = await search(storage, { minSize: 3 }, { limit: 2, scanLimit: 4, startAfter });
      expect(result.matches.length).toBeLessThanOrEqual(2);
      expect(result.scanned).toBeLessThanOrEqual(4);
      found.push(...keysOf(result));
      startAfter = result.resumeAfter;
      rounds++;
    } while (startAfter !== undefined);
    expect(found).toEqual([...[3, 4, 5, 6, 7, 8, 9].map((i) => `n/${i}.txt`), "other"]);
    expect(rounds).toBeGreaterThan(3);
  });
});
