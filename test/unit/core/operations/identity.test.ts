import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AppError } from "../../../../src/core/failures/errors.js";
import { sameBucket } from "../../../../src/core/operations/identity.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { openBucket } from "../../../../src/core/storage/s3.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { clientFor } from "../../../support/client.js";

const { signal } = new AbortController();
let bucket: TestBucket;
/** The same service under another alias. */
let twin: BucketStorage;
beforeEach(async () => {
  bucket = await startBucket();
  const credentials = await bucket.store.keys.first();
  twin = openBucket(clientFor({ handler: bucket.store.handler, credentials }), "bucket");
});
afterEach(() => bucket.close());

const refusing = (
  method: "createUpload" | "listUploads",
  code: string,
  kind: AppError["kind"] = "denied",
): Partial<BucketStorage> => {
  const refuse = () => {
    throw new AppError({ kind, code, message: code });
  };
  return { [method]: refuse };
};
const uploadsOf = async (storage: BucketStorage) => {
  const found: string[] = [];
  for await (const page of storage.listUploads()) found.push(...page.map(({ key }) => key));
  return found;
};

describe("two places", () => {
  it("are one bucket under two aliases of a service, and nothing is left of the question", async () => {
    expect(await sameBucket(bucket.storage, twin, signal)).toBe("same");
    expect(await uploadsOf(twin)).toEqual([]);
    expect(await bucket.keys()).toEqual([]);
  });

  it("are two buckets on two services, and under two names of one alias", async () => {
    const other = await startBucket();
    expect(await sameBucket(bucket.storage, other.storage, signal)).toBe("different");
    expect([...(await uploadsOf(twin)), ...(await uploadsOf(other.storage))]).toEqual([]);
    other.close();
    const sibling = await bucket.sibling("sibling");
    expect(await sameBucket(bucket.storage, sibling, signal)).toBe("different");
  });

  it("are asked about when one name may be an access point of the other", async () => {
    const point = { ...bucket.storage, bucket: "team-abc-s3alias" };
    expect(await sameBucket(bucket.storage, point, signal)).toBe("same");
  });

  it("are one as soon as one of the two ways shows it", async () => {
    const mute = { ...twin, ...refusing("createUpload", "AccessDenied") };
    expect(await sameBucket(bucket.storage, mute, signal)).toBe("same");
    expect(await sameBucket(mute, bucket.storage, signal)).toBe("same");
  });

  it("are unknown where a service does not list what was begun, or may not be asked", async () => {
    const listUploads = async function* () {};
    const forgetful = [bucket.storage, twin].map((storage) => ({ ...storage, listUploads }));
    expect(await sameBucket(forgetful[0]!, forgetful[1]!, signal)).toBe("unknown");
    const other = await startBucket();
    const denied = { ...other.storage, ...refusing("listUploads", "AccessDenied") };
    expect(await sameBucket(bucket.storage, denied, signal)).toBe("unknown");
    // One way shows nothing, which could be a service that hides what others have begun.
    const silent = { ...other.storage, ...refusing("createUpload", "AccessDenied") };
    expect(await sameBucket(bucket.storage, silent, signal)).toBe("unknown");
    expect(await sameBucket(silent, bucket.storage, signal)).toBe("unknown");
    expect([...(await uploadsOf(twin)), ...(await uploadsOf(other.storage))]).toEqual([]);
    other.close();
  });

  it("end the question when a service cannot be reached, which is said in its own words", async () => {
    const gone = { ...twin, ...refusing("createUpload", "ECONNREFUSED", "unavailable") };
    for (const pair of [
      [bucket.storage, { ...gone, ...refusing("listUploads", "ECONNREFUSED", "unavailable") }],
      [gone, bucket.storage],
    ] as const) {
      await expect(sameBucket(pair[0], pair[1], signal)).rejects.toMatchObject({
        kind: "unavailable",
        code: "ECONNREFUSED",
      });
    }
    expect(await uploadsOf(twin)).toEqual([]);
  });

  it("end the question when a bucket is missing, or when it is interrupted", async () => {
    const missing = { ...twin, ...refusing("createUpload", "NoSuchBucket") };
    await expect(sameBucket(missing, bucket.storage, signal)).rejects.toMatchObject({
      code: "NoSuchBucket",
    });
    const abort = new AbortController();
    const cut = {
      ...twin,
      listUploads: async function* () {
        abort.abort();
        abort.signal.throwIfAborted();
        yield [];
      },
    };
    await expect(sameBucket(bucket.storage, cut, abort.signal)).rejects.toThrow("abort");
    expect(await uploadsOf(twin)).toEqual([]);
  });
});
