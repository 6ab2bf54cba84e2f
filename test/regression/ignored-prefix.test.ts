/** A service that ignores the prefix of a listing must not widen what is done to it. */
import { afterEach, beforeEach, expect, it } from "vitest";

import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { copy } from "../../src/core/operations/copy.js";
import { remove } from "../../src/core/operations/remove.js";
import { abortUploads } from "../../src/core/operations/uploads.js";
import { startBucket, type TestBucket } from "../support/bucket.js";

let bucket: TestBucket;
let deaf: BucketStorage;
beforeEach(async () => {
  bucket = await startBucket();
  deaf = await bucket.through((inner) => async (request, options) => {
    const response = await inner(request, options);
    const { pathname } = new URL(request.path, "http://host");
    if (request.method !== "GET" || pathname !== "/bucket") return response;
    // The request is signed with its prefix; the answer is the one without a prefix.
    const query = request.query.replace(/(^|&)prefix=[^&]*/, "");
    const uploads = query.includes("uploads=");
    const versions = query.includes("versions=");
    const { client } = bucket.storage;
    return client.rawRequest({
      method: "GET",
      bucket: "bucket",
      query: uploads ? { uploads: "" } : versions ? { versions: "" } : { "list-type": "2" },
    });
  });
});
afterEach(() => bucket.close());

it.each([false, true])("rm -r then removes nothing (versions: %s)", async (versions) => {
  for (const key of ["a", "foo/1", "foobar", "z"]) await bucket.put(key, "x");
  const storage = deaf;
  const removal = remove({ storage, alias: "t", targets: { prefix: "foo/" }, versions });
  await expect(removal).rejects.toMatchObject({ code: "InvalidResponse" });
  expect(await bucket.keys()).toEqual(["a", "foo/1", "foobar", "z"]);
});

it("cp -r makes no names from keys outside the prefix", async () => {
  for (const key of ["a", "foo/1"]) await bucket.put(key, "x");
  const source = { ...bucket.at("foo/"), storage: deaf };
  const copying = copy({ sources: [source], target: bucket.at("to/"), recursive: true });
  await expect(copying).rejects.toMatchObject({ code: "InvalidResponse" });
  expect(await bucket.keys()).toEqual(["a", "foo/1"]);
});

it("uploads abort leaves the uploads of other keys alone", async () => {
  await bucket.storage.createUpload("mine/1");
  await bucket.storage.createUpload("other/1");
  await abortUploads(deaf, { alias: "t", key: "mine/" });
  const left: string[] = [];
  for await (const page of bucket.storage.listUploads()) left.push(...page.map(({ key }) => key));
  expect(left).toEqual(["other/1"]);
});

it("uploads abort takes a key and what is below it, not its neighbors", async () => {
  for (const key of ["a/foo", "a/foo/1", "a/foobar", "a/foo.gz"]) {
    await bucket.storage.createUpload(key);
  }
  await abortUploads(bucket.storage, { alias: "t", key: "a/foo" });
  const left: string[] = [];
  for await (const page of bucket.storage.listUploads()) left.push(...page.map(({ key }) => key));
  expect(left).toEqual(["a/foo.gz", "a/foobar"]);
});
