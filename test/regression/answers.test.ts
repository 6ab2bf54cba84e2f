/** An answer is believed only when it is one: a success that is not S3's is no success. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { purge } from "../../src/core/operations/purge.js";
import { bucketService } from "../../src/core/storage/buckets.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { useFaults } from "../support/faults.js";
import {
  BEGIN,
  COMPLETE,
  DELETE_BATCH,
  OBJECT_GET,
  PART,
  PART_PUT,
} from "../support/faulty-bucket.js";

const PAGE = "<html><head><title>Log in</title></head><body>Please log in</body></html>";
const pretend = { type: "pretend", body: PAGE } as const;
const faults = useFaults({ largeSize: PART + 12_345 });

describe("a page instead of an answer", () => {
  const source = () => ({ bucket: faults.bucket.name, key: "small" });
  it.each<[string, RegExp, (storage: BucketStorage) => Promise<unknown>]>([
    ["PutObject", /^PUT/, (storage) => storage.write("new", Buffer.from("x"))],
    ["CopyObject", /^PUT/, (storage) => storage.copyFrom("new", source())],
    ["DeleteObject", /^DELETE/, (storage) => storage.remove([{ key: "small" }])],
    ["DeleteObjects", /^POST/, (storage) => storage.remove([{ key: "small" }, { key: "large" }])],
    ["CreateMultipartUpload", /^POST/, (storage) => storage.createUpload("new")],
    ["UploadPart", /^PUT/, (storage) => storage.uploadPart("new", "id", 1, Buffer.from("x"))],
    [
      "UploadPartCopy",
      /^PUT/,
      (storage) => storage.uploadPartCopy("new", "id", 1, source(), { start: 0, end: 9 }),
    ],
    [
      "CompleteMultipartUpload",
      /^POST/,
      (storage) => storage.completeUpload("new", "id", [{ partNumber: 1, etag: "e" }]),
    ],
    ["AbortMultipartUpload", /^DELETE/, (storage) => storage.abortUpload("new", "id")],
    ["GetObject", /^GET/, (storage) => storage.read("small")],
    ["HeadObject", /^HEAD/, (storage) => storage.stat("small")],
    ["PutObjectTagging", /^PUT/, (storage) => storage.setTags("small", { a: "b" })],
    ["GetObjectTagging", /^GET/, (storage) => storage.getTags("small")],
    ["DeleteBucket", /^DELETE/, ({ client, bucket }) => bucketService(client).remove(bucket)],
  ])("is no %s", async (_, on, call) => {
    await faults.bucket.fill();
    const struck = faults.proxy.inject({ on, does: pretend });
    await expect(call(faults.bucket.faulty)).rejects.toMatchObject({
      kind: "unavailable",
      code: "NotS3Answer",
    });
    expect(struck()).toBe(5);
    expect((await faults.bucket.keys()).toSorted()).toEqual(["large", "small"]);
  });

  it("is no answer either when it is as long as the object", async () => {
    await faults.bucket.fill();
    const body = "x".repeat(16 * 1024 * 1024 + 1);
    faults.proxy.inject({ on: OBJECT_GET, does: { type: "pretend", body } });
    await expect(faults.bucket.faulty.getTags("small")).rejects.toMatchObject({
      kind: "unavailable",
      code: "NotS3Answer",
    });
  });

  it("that comes once is answered by asking again", async () => {
    await faults.bucket.fill();
    faults.proxy.inject({ on: DELETE_BATCH, times: 1, does: pretend });
    await faults.bucket.faulty.remove([{ key: "small" }, { key: "large" }]);
    expect(await faults.bucket.keys()).toEqual([]);
  });

  it("leaves an upload that was not completed for the next run, and says so", async () => {
    faults.proxy.inject({ on: COMPLETE, does: pretend });
    const report = await faults.bucket.upload("large", { stateDir: faults.bucket.state });
    expect(report.failures).toMatchObject([{ error: { code: "NotS3Answer" } }]);
    expect(report.left).toHaveLength(1);
    faults.proxy.heal();
    const again = await faults.bucket.upload("large", { stateDir: faults.bucket.state });
    expect(again.failures).toEqual([]);
    expect(await faults.bucket.keys()).toEqual(["large"]);
  });

  it("with an ETag is no answer either", async () => {
    const headers = { etag: '"abc"' };
    faults.proxy.inject({ on: /^PUT/, does: { ...pretend, headers } });
    const writing = faults.bucket.faulty.write("new", Buffer.from("x"));
    await expect(writing).rejects.toMatchObject({ code: "NotS3Answer" });
  });

  it("ends the commands with exit code 6 and writes nothing", async () => {
    const { bucket, home, pail, proxy } = faults;
    await bucket.fill();
    proxy.inject({ on: OBJECT_GET, does: pretend });
    const target = join(home.directory, "out");
    const one = await pail(["cp", `t/${bucket.name}/small`, target, "--retries", "0"]);
    expect([one.code, existsSync(target)]).toEqual([6, false]);
    expect(one.stderr).toContain("not as S3 does");
    const shown = await pail(["cat", `t/${bucket.name}/small`], { AWS_MAX_ATTEMPTS: "1" });
    expect([shown.code, shown.stdout]).toEqual([6, ""]);
  });
});

describe("a question a service does not know", () => {
  it.each([
    ["nothing at all", ""],
    ["a list of another kind", '<?xml version="1.0"?><ListBucketResult></ListBucketResult>'],
  ])("is answered with %s, and a bucket is removed all the same", async (_, body) => {
    const { bucket, proxy } = faults;
    await bucket.fill();
    const headers = { "content-type": "text/xml" };
    proxy.inject({ on: /^GET .*[?&](versions|uploads)/, does: { type: "pretend", body, headers } });
    const service = bucketService(bucket.faulty.client);
    const report = await purge({ alias: "t", storage: bucket.faulty, service });
    expect(report.failures).toEqual([]);
    expect(await service.exists(bucket.name)).toBe(false);
  });
});

describe("the tries of one piece of work", () => {
  it("are shared by every layer: a listing that fails in three ways asks five times", async () => {
    const { bucket, proxy } = faults;
    const asked: string[] = [];
    proxy.watch((line) => asked.push(line));
    const error = '<?xml version="1.0"?><Error><Code>InternalError</Code></Error>';
    for (let round = 0; round < 5; round += 1) {
      proxy.inject({
        on: /^GET/,
        times: 1,
        does: { type: "refuse", status: 503, code: "SlowDown" },
      });
      proxy.inject({ on: /^GET/, times: 1, does: { type: "reset-response", bytes: 5 } });
      proxy.inject({ on: /^GET/, times: 1, does: { type: "pretend", body: error } });
    }
    const listing = bucketService(bucket.faulty.client).list();
    await expect(listing).rejects.toMatchObject({ kind: "unavailable" });
    expect(asked).toHaveLength(5);
  });
});

describe("an upload whose beginning is lost", () => {
  it.each([
    ["refused", { type: "refuse", status: 500, code: "InternalError" }],
    ["done, but the answer lost", { type: "lose-response" }],
    ["done, but the answer cut", { type: "reset-response", bytes: 20 }],
  ] as const)("%s: it is begun again, and nothing is left behind", async (_, does) => {
    faults.proxy.inject({ on: BEGIN, times: 1, does });
    const report = await faults.bucket.upload("large");
    expect(report.failures).toEqual([]);
    expect(await faults.bucket.keys()).toEqual(["large"]);
    expect(await faults.bucket.uploads()).toEqual([]);
  });

  it("does not end what others began, and have sent parts to", async () => {
    const { straight } = faults.bucket;
    const theirs = await straight.createUpload("large");
    await straight.uploadPart("large", theirs, 1, Buffer.from("x"));
    faults.proxy.inject({ on: BEGIN, times: 1, does: { type: "lose-response" } });
    await faults.bucket.faulty.createUpload("large");
    expect(await faults.bucket.uploads()).toHaveLength(2);
    expect(await faults.bucket.uploads()).toContain(theirs);
  });

  it("does not choose between more uploads than were lost", async () => {
    const { straight } = faults.bucket;
    await straight.createUpload("large");
    faults.proxy.inject({ on: BEGIN, times: 1, does: { type: "lose-response" } });
    await faults.bucket.faulty.createUpload("large");
    expect(await faults.bucket.uploads()).toHaveLength(3);
  });

  it("at every try ends with an error that says one may have begun", async () => {
    faults.proxy.inject({ on: BEGIN, does: { type: "reset-response", bytes: 20 } });
    const report = await faults.bucket.upload("large");
    expect(report.failures[0]!.error.message).toContain("whether an upload has begun is not known");
  });
});

describe("a service that refuses to be asked for checksums", () => {
  it("is read without them, and not asked again", async () => {
    const { bucket, proxy } = faults;
    await bucket.fill();
    const struck = proxy.inject({
      on: /./,
      header: "x-amz-checksum-mode",
      does: { type: "refuse", status: 501, code: "NotImplemented" },
    });
    expect((await bucket.faulty.stat("small")).size).toBe(bucket.small.length);
    await bucket.download("large");
    expect(bucket.read("out").equals(bucket.large)).toBe(true);
    expect(struck()).toBe(1);
  });
});

it("a completed upload may have another element's name in the answer, as moto gives it", async () => {
  const body =
    "<CompleteMultipartUploadResponse><ETag>e-1</ETag></CompleteMultipartUploadResponse>";
  faults.proxy.inject({ on: COMPLETE, does: { type: "pretend", body } });
  const completing = faults.bucket.faulty.completeUpload("a", "id", [{ partNumber: 1, etag: "e" }]);
  expect((await completing).etag).toBe("e-1");
});

it("no other answer may have another element's name", async () => {
  const body =
    "<InitiateMultipartUploadResponse><UploadId>i</UploadId></InitiateMultipartUploadResponse>";
  faults.proxy.inject({ on: BEGIN, does: { type: "pretend", body } });
  const beginning = faults.bucket.faulty.createUpload("a");
  await expect(beginning).rejects.toMatchObject({ code: "NotS3Answer" });
});

it("a part that has no ETag is not stored", async () => {
  faults.proxy.inject({ on: PART_PUT, does: { type: "pretend", body: "" } });
  const storing = faults.bucket.faulty.uploadPart("a", "id", 1, Buffer.from("x"));
  await expect(storing).rejects.toMatchObject({ code: "NotS3Answer" });
});
