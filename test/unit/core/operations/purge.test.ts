import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { purge } from "../../../../src/core/operations/purge.js";
import { findUploads } from "../../../../src/core/operations/uploads.js";
import { bucketService } from "../../../../src/core/storage/buckets.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { recorder, startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

const service = () => bucketService(bucket.storage.client);
const names = async () => (await service().list()).map(({ name }) => name);
const request = (storage: BucketStorage = bucket.storage) => ({
  alias: "local",
  storage,
  service: service(),
});

describe("the removal of a bucket", () => {
  it("takes objects, versions, markers and unfinished uploads with it", async () => {
    await service().setVersioning("bucket", "Enabled");
    await bucket.put("a", "one");
    await bucket.put("a", "two");
    await bucket.storage.remove([{ key: "a" }]);
    await bucket.storage.createUpload("u");
    const seen = recorder();
    const report = await purge({ ...request(), onEvent: seen.onEvent });
    expect([report.failures, await names()]).toEqual([[], []]);
    expect(seen.of("finished")).toHaveLength(4);
  });

  it("goes on where a service lists no versions, and for what is written meanwhile", async () => {
    await bucket.put("a", "one");
    let looks = 0;
    const storage: BucketStorage = {
      ...bucket.storage,
      list: async function* (options) {
        if (options?.versions === true) {
          const { AppError } = await import("../../../../src/core/failures/errors.js");
          throw new AppError({ kind: "usage", code: "NotImplemented", message: "no" });
        }
        looks += 1;
        if (looks === 2) await bucket.put("late", "one more");
        yield* bucket.storage.list(options);
      },
    };
    await purge(request(storage));
    expect(await names()).toEqual([]);
  });

  it("leaves the bucket while something in it could not be removed, and in a dry run", async () => {
    await bucket.put("a", "one");
    const seen = recorder();
    await purge({ ...request(), dryRun: true, onEvent: seen.onEvent });
    expect(seen.of("skipped").map(({ reason }) => reason)).toEqual(["dry-run"]);
    const storage: BucketStorage = {
      ...bucket.storage,
      remove: async (targets) =>
        targets.map((target) => ({ ...target, error: { code: "AccessDenied", message: "no" } })),
    };
    const report = await purge(request(storage));
    expect(report.failures).toMatchObject([{ error: { code: "AccessDenied" } }]);
    expect([await names(), await bucket.keys()]).toEqual([["bucket"], ["a"]]);
  });
});

describe("unfinished uploads", () => {
  it("are those of a key and below it, never of a neighbor, and as old as asked for", async () => {
    for (const key of ["foo", "foo/bar", "foobar"]) await bucket.storage.createUpload(key);
    const found = async (query: Parameters<typeof findUploads>[1]) => {
      const keys: string[] = [];
      for await (const page of findUploads(bucket.storage, query)) {
        keys.push(...page.map(({ key }) => key));
      }
      return keys;
    };
    expect(await found({ key: "foo" })).toEqual(["foo", "foo/bar"]);
    expect(await found({ key: "foo/" })).toEqual(["foo/bar"]);
    expect(await found({})).toHaveLength(3);
    expect(await found({ olderThan: 1000 })).toEqual([]);
  });
});
