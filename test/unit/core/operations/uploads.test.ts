/** Unfinished uploads: found by key and age, and removed one by one. */
import { afterEach, beforeEach, expect, it } from "vitest";

import { createRun } from "../../../../src/core/engine/run.js";
import { AppError } from "../../../../src/core/failures/errors.js";
import { abortUploads, findUploads } from "../../../../src/core/operations/uploads.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { recorder, startBucket, type TestBucket } from "../../../support/bucket.js";

const alias = "local";
let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
  for (const key of ["a", "a/one", "ab", "b/two"]) await bucket.storage.createUpload(key);
});
afterEach(() => bucket.close());

async function find(
  query: Parameters<typeof findUploads>[1] = {},
  storage: BucketStorage = bucket.storage,
): Promise<string[]> {
  const found: string[] = [];
  for await (const page of findUploads(storage, query)) found.push(...page.map(({ key }) => key));
  return found;
}

it("are found by a key, what is below it, and their age; never a neighbor's", async () => {
  expect(await find()).toEqual(["a", "a/one", "ab", "b/two"]);
  expect(await find({ key: "a" })).toEqual(["a", "a/one"]);
  expect(await find({ key: "a/" })).toEqual(["a/one"]);
  expect(await find({ olderThan: Date.now() - 60_000 })).toEqual([]);
  expect(await find({ olderThan: Date.now() + 60_000 })).toHaveLength(4);
});

it("of unknown age never count as old", async () => {
  const listUploads: BucketStorage["listUploads"] = async function* () {
    yield [{ key: "a", uploadId: "u" }];
  };
  const storage = { ...bucket.storage, listUploads };
  expect(await find({ olderThan: Date.now() + 60_000 }, storage)).toEqual([]);
});

it("are removed, but not in a dry run; the totals come first", async () => {
  const seen = recorder();
  const dry = await abortUploads(bucket.storage, { alias, dryRun: true, ...seen });
  expect(dry.snapshot.items).toMatchObject({ total: 4, skipped: 4, done: 0 });
  expect(seen.of("skipped")[0]?.item.target).toMatchObject({ type: "upload", key: "a" });
  expect(await find()).toHaveLength(4);
  const report = await abortUploads(bucket.storage, { alias, key: "a" });
  expect(report.snapshot.items).toMatchObject({ total: 2, done: 2 });
  expect(await find()).toEqual(["ab", "b/two"]);
});

it("are counted one by one when they could not be removed", async () => {
  const abortUpload: BucketStorage["abortUpload"] = async (key, ...rest) => {
    if (key === "a") throw new AppError({ kind: "denied", code: "AccessDenied", message: "no" });
    await bucket.storage.abortUpload(key, ...rest);
  };
  const report = await abortUploads({ ...bucket.storage, abortUpload }, { alias });
  expect(report.snapshot.items).toMatchObject({ done: 3, failed: 1 });
  expect(report.failures).toMatchObject([
    { item: { target: { key: "a" } }, error: { code: "AccessDenied" } },
  ]);
  expect(await find()).toEqual(["a"]);
});

it("on a service that cannot list them, are an error alone, and ignored as a part of a larger removal", async () => {
  const listUploads: BucketStorage["listUploads"] = async function* () {
    yield [];
    throw new AppError({ kind: "usage", code: "NotImplemented", message: "no" });
  };
  const storage = { ...bucket.storage, listUploads };
  await expect(abortUploads(storage, { alias })).rejects.toMatchObject({ code: "NotImplemented" });
  const report = await abortUploads(storage, { alias, run: createRun({}) });
  expect(report.failures).toEqual([]);
});
