/** Lifecycle rules: as they are set over the wire, and what a run of them removes. */
import {
  CreateMultipartUploadCommand,
  DeleteBucketLifecycleCommand,
  DeleteObjectCommand,
  DeleteObjectTaggingCommand,
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule as SdkRule,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Backend } from "../../../src/store/disk/index.js";
import { openDisk } from "../../../src/store/disk/index.js";
import { createStore } from "../../../src/store/index.js";
import { runLifecycle } from "../../../src/store/lifecycle/run.js";
import { midnightAfter } from "../../../src/store/lifecycle/due.js";
import { keysOf, makeBucket, sdkFor, textOf } from "../../support/sdk.js";
import { type RunningStore, startStore } from "../../support/store.js";

const DAY = 86_400_000;
let store: RunningStore;
let s3: S3Client;
let Bucket: string;
let count = 0;

beforeAll(async () => {
  store = await startStore();
  s3 = sdkFor(store);
});
afterAll(() => store.close());
beforeEach(async () => {
  Bucket = `bucket-${count++}`;
  await makeBucket(s3, Bucket);
});

const put = (Key: string, more: object = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body: "x", ...more }));
const set = (...Rules: Partial<SdkRule>[]) =>
  s3.send(
    new PutBucketLifecycleConfigurationCommand({
      Bucket,
      LifecycleConfiguration: {
        Rules: Rules.map((rule) => ({ Status: "Enabled", Filter: { Prefix: "" }, ...rule })),
      },
    }),
  );
/** Runs the rules as on a day to come, on another store of the same directory. */
const runAfter = (days: number) =>
  createStore({ directory: store.directory, now: () => Date.now() + days * DAY }).runLifecycle();
/** The same, with a change by another writer right after the first page was listed. */
const runWith = (
  days: number,
  list: "listObjects" | "listVersions",
  change: () => Promise<unknown>,
) => {
  const disk = openDisk(store.directory);
  let done = false;
  const listing: Backend[typeof list] = async (bucket, query) => {
    const page = await disk[list](bucket, query);
    if (bucket === Bucket && !done) await change();
    done ||= bucket === Bucket;
    return page;
  };
  const fail = (error: unknown): never => {
    throw error;
  };
  return runLifecycle({ ...disk, [list]: listing }, Date.now() + days * DAY, fail);
};
const versions = async () => {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket }),
  );
  return { versions: Versions.length, markers: DeleteMarkers.length };
};
const versioned = (Status: "Enabled" | "Suspended") =>
  s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));

describe("rules", () => {
  it("come back as they were set, and can be removed", async () => {
    const Rules: SdkRule[] = [
      { ID: "a", Status: "Enabled", Filter: { Prefix: "logs/" }, Expiration: { Days: 3 } },
      {
        ID: "b",
        Status: "Disabled",
        Filter: {
          And: { Prefix: "p", Tags: [{ Key: "k", Value: "v" }], ObjectSizeGreaterThan: 5 },
        },
        NoncurrentVersionExpiration: { NoncurrentDays: 2, NewerNoncurrentVersions: 1 },
      },
      {
        ID: "c",
        Status: "Enabled",
        Filter: { Prefix: "" },
        Expiration: { Date: new Date("2030-01-01T00:00:00Z") },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
    ];
    await set(...Rules);
    const got = await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
    expect(got.Rules).toEqual(Rules);
    await s3.send(new DeleteBucketLifecycleCommand({ Bucket }));
    await expect(
      s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
    ).rejects.toMatchObject({ name: "NoSuchLifecycleConfiguration" });
  });

  it.each<[Partial<SdkRule>, string]>([
    [{ Transitions: [{ Days: 1, StorageClass: "GLACIER" }] }, "NotImplemented"],
    [{ Expiration: { Days: 0 } }, "InvalidArgument"],
    [{ Expiration: { Date: new Date("2030-01-01T01:00:00Z") } }, "InvalidArgument"],
    [{}, "InvalidRequest"],
    [
      {
        Filter: { Tag: { Key: "a", Value: "b" } },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      },
      "InvalidRequest",
    ],
  ])("that cannot be carried out are refused: %j", async (rule, name) => {
    await expect(set(rule)).rejects.toMatchObject({ name });
  });
});

describe("a run", () => {
  it("removes objects as old as a rule says, and nothing else", async () => {
    for (const key of ["logs/1", "logs/2", "keep"]) await put(key);
    await set({ Filter: { Prefix: "logs/" }, Expiration: { Days: 2 } });
    await runAfter(0);
    await runAfter(1);
    expect(await keysOf(s3, Bucket)).toHaveLength(3);
    expect(await runAfter(3)).toMatchObject({ objects: 2 });
    expect(await keysOf(s3, Bucket)).toEqual(["keep"]);
  });

  it("goes by date, tags and size", async () => {
    await put("tagged", { Tagging: "k=v" });
    await put("large", { Body: "x".repeat(100) });
    await put("other");
    const past = { Date: new Date("2020-01-01T00:00:00Z") };
    await set(
      { ID: "1", Filter: { Tag: { Key: "k", Value: "v" } }, Expiration: past },
      { ID: "2", Filter: { ObjectSizeGreaterThan: 50 }, Expiration: past },
      { ID: "3", Status: "Disabled", Expiration: past },
    );
    await runAfter(0);
    expect(await keysOf(s3, Bucket)).toEqual(["other"]);
  });

  it("keeps objects that were written while it ran", async () => {
    await put("k");
    await set({ Expiration: { Days: 1 } });
    const runs = Array.from({ length: 5 }, () => runAfter(3));
    await Promise.all([...runs, put("k", { Body: "new" })]);
    // Either it was expired and then written, or it was written and no longer the object that was
    // seen.
    const again = await put("k", { Body: "newer" });
    expect(again.ETag).toBeDefined();
    expect(await keysOf(s3, Bucket)).toEqual(["k"]);
  });

  it("hides an expired object of a versioned bucket, and later removes what it hid", async () => {
    await versioned("Enabled");
    await put("k");
    await put("k");
    await set({ ID: "1", Expiration: { Days: 1 } });
    await runAfter(3);
    expect(await keysOf(s3, Bucket)).toEqual([]);
    expect(await versions()).toEqual({ versions: 2, markers: 1 });
    await set(
      { ID: "1", Expiration: { Days: 1 } },
      { ID: "2", NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
    );
    await runAfter(3);
    expect(await versions()).toEqual({ versions: 0, markers: 0 });
  });

  it("keeps as many versions as a rule says", async () => {
    await versioned("Enabled");
    for (let index = 0; index < 5; index++) await put("k");
    await set({ NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 2 } });
    await runAfter(5);
    expect(await versions()).toEqual({ versions: 3, markers: 0 });
  });

  it("removes a delete marker that hides nothing", async () => {
    await versioned("Enabled");
    await s3.send(new DeleteObjectCommand({ Bucket, Key: "k" }));
    await put("other");
    await set({ Expiration: { ExpiredObjectDeleteMarker: true } });
    await runAfter(0);
    expect(await versions()).toEqual({ versions: 1, markers: 0 });
  });

  it.each<[string, Partial<SdkRule>, () => Promise<unknown>]>([
    [
      "is written again, the same bytes in the same second",
      { Expiration: { Date: new Date(0) }, Filter: { Tag: { Key: "gone", Value: "1" } } },
      () => put("k"),
    ],
    [
      "loses the tag it was to go for",
      { Expiration: { Days: 1 }, Filter: { Tag: { Key: "gone", Value: "1" } } },
      () => s3.send(new DeleteObjectTaggingCommand({ Bucket, Key: "k" })),
    ],
  ])("spares what %s after it was listed", async (_, rule, change) => {
    await put("k", { Tagging: "gone=1" });
    await set(rule);
    await runWith(5, "listObjects", change);
    expect(await textOf(s3, Bucket, "k")).toBe("x");
  });

  it("spares a version that became the latest again after the listing", async () => {
    await versioned("Enabled");
    await put("k", { Body: "older" });
    const { VersionId } = await put("k", { Body: "newer" });
    await set({ NoncurrentVersionExpiration: { NoncurrentDays: 1 } });
    await runWith(5, "listVersions", () =>
      s3.send(new DeleteObjectCommand({ Bucket, Key: "k", VersionId })),
    );
    expect(await textOf(s3, Bucket, "k")).toBe("older");
  });

  it("spares an object that replaced the null marker after the listing", async () => {
    await versioned("Enabled");
    await versioned("Suspended");
    await s3.send(new DeleteObjectCommand({ Bucket, Key: "k" }));
    await set({ Expiration: { ExpiredObjectDeleteMarker: true } });
    await runWith(0, "listVersions", () => put("k"));
    expect(await textOf(s3, Bucket, "k")).toBe("x");
  });

  it("aborts unfinished uploads", async () => {
    for (const Key of ["a/1", "b/1"]) {
      await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    }
    const rule = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } };
    await set({ Filter: { Prefix: "a/" }, ...rule });
    expect(await runAfter(0)).toMatchObject({ uploads: 0 });
    expect(await runAfter(3)).toMatchObject({ uploads: 1 });
    const { Uploads } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
    expect(Uploads?.map(({ Key }) => Key)).toEqual(["b/1"]);
  });
});

it("days are counted from midnight to midnight", () => {
  const noon = Date.parse("2026-01-01T12:00:00Z");
  expect(new Date(midnightAfter(noon, 1)).toISOString()).toBe("2026-01-03T00:00:00.000Z");
  const midnight = Date.parse("2026-01-01T00:00:00Z");
  expect(new Date(midnightAfter(midnight, 1)).toISOString()).toBe("2026-01-02T00:00:00.000Z");
});
