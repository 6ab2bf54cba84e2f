import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openBucket } from "../../../../src/core/storage/s3.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { AppError } from "../../../../src/core/failures/errors.js";
import { purge } from "../../../../src/core/operations/purge.js";
import { remove } from "../../../../src/core/operations/remove.js";
import { bucketService } from "../../../../src/core/storage/buckets.js";
import { nameOf } from "../../../../src/core/ref.js";
import { recorder, startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => {
  bucket.close();
});

const alias = "local";

async function versioned(): Promise<void> {
  await bucket.storage.client.request({
    method: "PUT",
    bucket: "bucket",
    query: { versioning: "" },
    body: Buffer.from(
      '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>',
    ),
  });
}

async function versions(storage: BucketStorage): Promise<number> {
  let count = 0;
  for await (const page of storage.list({ versions: true })) count += page.length;
  return count;
}

async function* keys(...names: string[]) {
  for (const key of names) yield { key };
}

describe("removing", () => {
  it("removes exactly the given keys, and counts a missing one as done", async () => {
    for (const key of ["a", "a/", "a//b", "x\ny", "keep"]) await bucket.put(key, key);
    const targets = keys("a", "a/", "a//b", "x\ny", "never was");
    const report = await remove({ storage: bucket.storage, alias, targets });
    expect(await bucket.keys()).toEqual(["keep"]);
    expect(report.snapshot.items).toMatchObject({ total: 5, done: 5, failed: 0 });
  });

  it("removes a key and what is below it, never a neighbor that begins alike", async () => {
    for (const key of ["foo", "foo/a", "foo/b/c", "foobar", "foo.txt"]) await bucket.put(key, key);
    await remove({ storage: bucket.storage, alias, targets: { prefix: "foo" } });
    expect(await bucket.keys()).toEqual(["foo.txt", "foobar"]);
  });

  it("says when there is nothing to remove", async () => {
    await expect(
      remove({ storage: bucket.storage, alias, targets: { prefix: "foo" } }),
    ).rejects.toMatchObject({ kind: "not-found" });
  });

  it("removes more than one batch, each with at most a thousand keys and eight at once", async () => {
    const all = Array.from({ length: 2_500 }, (_, i) => `k/${i}`);
    let active = 0;
    let most = 0;
    const sizes: number[] = [];
    const counting: BucketStorage = {
      ...bucket.storage,
      remove: async (targets, options) => {
        sizes.push(targets.length);
        active += 1;
        most = Math.max(most, active);
        const results = await bucket.storage.remove(targets, options);
        active -= 1;
        return results;
      },
    };
    const report = await remove({ storage: counting, alias, targets: keys(...all) });
    expect(report.snapshot.items.done).toBe(2_500);
    expect(sizes.sort((a, b) => b - a)).toEqual([1000, 1000, 500]);
    expect(most).toBeLessThanOrEqual(8);
  });

  it("removes nothing in a dry run, and names what it would remove", async () => {
    await bucket.put("a", "1");
    const seen = recorder();
    const { storage } = bucket;
    await remove({ storage, alias, targets: { prefix: "" }, dryRun: true, onEvent: seen.onEvent });
    expect(await bucket.keys()).toEqual(["a"]);
    expect(seen.of("skipped").map(({ item }) => nameOf(item.target))).toEqual(["local/bucket/a"]);
  });

  it("removes a pinned target that has not changed, and names one that has", async () => {
    const etagOf = async (key: string) => (await bucket.storage.stat(key)).etag!;
    for (const key of ["same", "changed", "plain"]) await bucket.put(key, key);
    const pinned = { same: await etagOf("same"), changed: await etagOf("changed") };
    await bucket.put("changed", "anew");
    const targets = (async function* () {
      yield { key: "same", etag: pinned.same };
      yield { key: "changed", etag: pinned.changed };
      yield { key: "gone", etag: pinned.same };
      yield { key: "plain" };
    })();
    const report = await remove({ alias, storage: bucket.storage, targets });
    expect(report.failures).toMatchObject([
      { item: { target: { key: "changed" } }, error: { kind: "partial", code: "Drifted" } },
    ]);
    expect(await bucket.keys()).toEqual(["changed"]);
  });

  it("removes only objects that pass the filter", async () => {
    for (const key of ["a.txt", "b.tmp", "c/d.tmp"]) await bucket.put(key, key);
    const filter = { include: ["*.tmp"] };
    await remove({ storage: bucket.storage, alias, targets: { prefix: "" }, filter });
    expect(await bucket.keys()).toEqual(["a.txt"]);
  });

  it("leaves a marker in a versioned bucket, and every version with versions", async () => {
    await versioned();
    await bucket.put("k", "1");
    await bucket.put("k", "2");
    await bucket.put("k2", "other");
    const { storage } = bucket;
    await remove({ storage, alias, targets: { prefix: "k" } });
    expect(await bucket.keys()).toEqual(["k2"]);
    expect(await versions(storage)).toBe(4);
    await remove({ storage, alias, targets: { prefix: "k" }, versions: true });
    expect(await versions(storage)).toBe(1);
  });

  it("reports a key that cannot be removed, and goes on", async () => {
    await bucket.put("free", "1");
    await bucket.put("locked", "1");
    const failing: BucketStorage = {
      ...bucket.storage,
      remove: async (targets, options) =>
        (await bucket.storage.remove(targets, options)).map((result) =>
          result.key === "locked"
            ? { ...result, error: { code: "AccessDenied", message: "object is locked" } }
            : result,
        ),
    };
    const report = await remove({ storage: failing, alias, targets: keys("free", "locked") });
    expect(report.snapshot.items).toMatchObject({ done: 1, failed: 1 });
    expect(report.failures).toMatchObject([
      {
        item: { target: { bucket: "bucket", key: "locked" } },
        error: { kind: "denied", code: "AccessDenied" },
      },
    ]);
  });

  it("keeps the first thousand failures and counts them all", async () => {
    const all = Array.from({ length: 1_500 }, (_, i) => `${i}`);
    const refusing: BucketStorage = {
      ...bucket.storage,
      remove: async (targets) =>
        targets.map((target) => ({ ...target, error: { code: "AccessDenied", message: "no" } })),
    };
    const report = await remove({ storage: refusing, alias, targets: keys(...all) });
    expect(report.failures).toHaveLength(1_000);
    expect(report.snapshot.items.failed).toBe(1_500);
  });

  it("stops when it is interrupted", async () => {
    for (let i = 0; i < 20; i += 1) await bucket.put(`${i}`, "x");
    const abort = new AbortController();
    abort.abort();
    await expect(
      remove({ storage: bucket.storage, alias, targets: { prefix: "" }, signal: abort.signal }),
    ).rejects.toMatchObject({ kind: "interrupted" });
    expect(await bucket.keys()).toHaveLength(20);
  });

  it("throws the error of a refused listing", async () => {
    const missing = openBucket(bucket.storage.client, "missing");
    await expect(
      remove({ storage: missing, alias, targets: { prefix: "" } }),
    ).rejects.toMatchObject({ code: "NoSuchBucket" });
  });
});

describe("removing a bucket whole", () => {
  it("removes versions, markers and unfinished uploads, so that the bucket can go", async () => {
    await versioned();
    await bucket.put("a", "1");
    await bucket.put("a", "2");
    await remove({ storage: bucket.storage, alias, targets: keys("a") });
    await bucket.storage.createUpload("unfinished");
    const report = await purge({
      alias,
      storage: bucket.storage,
      service: bucketService(bucket.storage.client),
    });
    expect(report.snapshot.items).toMatchObject({ done: 4, failed: 0 });
    expect(await bucketService(bucket.storage.client).exists("bucket")).toBe(false);
  });

  it("goes on until it finds nothing, although others write meanwhile", async () => {
    await bucket.put("a", "1");
    let late = 3;
    const storage = await bucket.through((inner) => async (request, options) => {
      const response = await inner(request, options);
      if (/^(POST|DELETE)$/.test(request.method) && late-- > 0)
        await bucket.put(`late-${late}`, "x");
      return response;
    });
    const report = await purge({ alias, storage, service: bucketService(storage.client) });
    expect(report.snapshot.items).toMatchObject({ done: 4, failed: 0 });
    expect(await bucketService(bucket.storage.client).exists("bucket")).toBe(false);
  });

  it("does not try again to remove an object that failed", async () => {
    await bucket.put("a", "1");
    const storage = await bucket.through((inner) => async (request, options) => {
      if (request.method !== "POST" && request.method !== "DELETE") return inner(request, options);
      throw new AppError({ kind: "denied", code: "AccessDenied", message: "no" });
    });
    const report = await purge({ alias, storage, service: bucketService(storage.client) });
    expect(report.snapshot.items).toMatchObject({ total: 1, done: 0, failed: 1 });
    expect(await bucket.keys()).toEqual(["a"]);
  });
});
