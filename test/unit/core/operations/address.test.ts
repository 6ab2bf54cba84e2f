import { expect, test } from "vitest";

import { AppError } from "../../../../src/core/failures/errors.js";
import { address } from "../../../../src/core/operations/address.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import type { Entry, ListOptions } from "../../../../src/core/storage/storage.js";

/** A bucket of these keys, with a page size of two, that notes what it was asked. */
function bucketOf(keys: readonly string[], asked: ListOptions[] = []): BucketStorage {
  const list = async function* (options: ListOptions = {}): AsyncGenerator<Entry[]> {
    asked.push(options);
    const { prefix = "", startAfter = "" } = options;
    const found = keys.filter((key) => key.startsWith(prefix) && key > startAfter);
    for (let at = 0; at < found.length; at += 2) {
      yield found.slice(at, at + 2).map((key): Entry => ({ type: "object", key, size: 1 }));
    }
  };
  return { bucket: "b", list } as unknown as BucketStorage;
}

async function names(storage: BucketStorage, key: string, delimiter?: string): Promise<string[]> {
  const found: string[] = [];
  const addressed = await address(storage, key);
  for await (const page of addressed.storage.list({ prefix: addressed.key, delimiter })) {
    found.push(...page.map((entry) => entry.key));
  }
  return found;
}

const KEYS = [
  "a*b",
  "a1/x",
  "a1/y/z",
  "a2",
  "a3/x",
  "b1",
  "c/{d}",
  "c/[d]",
  String.raw`c\d`,
].toSorted();

test.each([
  ["a*", ["a*b", "a1/", "a2", "a3/"]],
  [String.raw`a\*?`, ["a*b"]],
  ["a[12]", ["a1/", "a2"]],
  ["a?/", ["a1/", "a3/"]],
  ["{a2,b}*", ["a2", "b1"]],
  ["*/x", ["a1/x", "a3/x"]],
  ["**/z", ["a1/y/z"]],
  ["c/[[]d]", ["c/[d]"]],
])("%s names %j", async (glob, expected) => {
  expect(await names(bucketOf(KEYS), glob, "/")).toEqual(expected);
});

test("a pattern names everything at or below its matches, and nothing else", async () => {
  expect(await names(bucketOf(KEYS), "a[13]")).toEqual(["a1/x", "a1/y/z", "a3/x"]);
});

test("a key that is there is exact, and so is a prefix", async () => {
  for (const key of ["a*b", "c/{d}"]) {
    expect((await address(bucketOf(KEYS), key)).pattern).toBeUndefined();
  }
  expect((await address(bucketOf(["p[1]/x", "p1"]), "p[1]")).pattern).toBeUndefined();
  expect((await address(bucketOf(["a1"]), "a?", { reading: "exact" })).pattern).toBeUndefined();
});

test("a pattern is not used where listing is denied", async () => {
  const denied = {
    ...bucketOf([]),
    list: () => {
      throw new AppError({ kind: "denied", code: "AccessDenied", message: "no" });
    },
  } as unknown as BucketStorage;
  expect((await address(denied, "a*")).pattern).toBeUndefined();
});

test("the service is asked only about names below the fixed part", async () => {
  const asked: ListOptions[] = [];
  await names(bucketOf(["logs/2025-01/x", "other"], asked), "logs/2025-*", "/");
  expect(asked.every(({ prefix }) => prefix?.startsWith("logs/2025-"))).toBe(true);
});

test("a pattern that matches nothing is reported", async () => {
  await expect(names(bucketOf(["a"]), "z*")).rejects.toMatchObject({ code: "NoSuchKey" });
});
