/** Removals pinned to an ETag, many at once: in a batch where the service obeys ETags in one. */
import { afterEach, beforeEach, expect, it } from "vitest";

import { removeObjects } from "../../../../src/core/operations/removal.js";
import type { ObjectRef } from "../../../../src/core/ref.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import type { HttpResponse } from "../../../../src/protocol/message.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { meddled, refusal } from "../../../support/sync.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => {
  bucket.close();
});

const NAMES = Array.from({ length: 40 }, (_, i) => `k${i}`);

/** Refs to objects as they are now; then `changed` names are written again. */
async function planted(...changed: string[]): Promise<ObjectRef[]> {
  const refs: ObjectRef[] = [];
  for (const key of NAMES) {
    const { etag } = await bucket.storage.write(key, Buffer.from(key));
    refs.push({ type: "object", alias: "a", bucket: "bucket", key, etag });
  }
  for (const key of changed) await bucket.put(key, "written meanwhile");
  return refs;
}

/** Requests by method, through a handler that answers DeleteObjects in its own way. */
async function service(batch?: (body: string) => Promise<HttpResponse>) {
  const sent: string[] = [];
  const { storage } = await meddled(bucket, ({ method, body }) => {
    sent.push(method);
    if (method !== "POST") return undefined;
    return batch?.(Buffer.from(body as Uint8Array).toString());
  });
  return { storage, sent };
}

const run = async (storage: BucketStorage, refs: readonly ObjectRef[]) => {
  const errors = await removeObjects(storage, refs, new AbortController().signal);
  return errors.map((one) => (one?.error as { code?: string } | undefined)?.code);
};

it("takes one request where ETags are obeyed, and leaves objects that changed meanwhile", async () => {
  const refs = await planted("k7");
  const { storage, sent } = await service();
  const codes = await run(storage, refs);
  expect(codes.filter((code) => code !== undefined)).toEqual(["Drifted"]);
  expect(await bucket.keys()).toEqual(["k7"]);
  // A look and the question, the batch, and the look at what was refused.
  expect(sent).toEqual(["HEAD", "POST", "POST", "HEAD"]);
  await run(storage, await planted());
  expect(sent.slice(4)).toEqual(["POST"]);
});

it("looks at each object where they are not obeyed, and leaves those that changed meanwhile", async () => {
  for (const changed of ["k0", "k7"]) {
    const refs = await planted(changed);
    const { storage } = await service(async (body) => {
      for (const [, key] of body.matchAll(/<Key>(.*?)<\/Key>/g)) {
        await bucket.storage.remove([{ key: key! }]);
      }
      const bytes = Buffer.from("<DeleteResult/>");
      return { ...refusal(200, ""), headers: { "content-type": "application/xml" }, bytes };
    });
    const codes = await run(storage, refs);
    expect(codes.filter((code) => code !== undefined)).toEqual(["Drifted"]);
    expect(await bucket.keys()).toEqual([changed]);
    await bucket.storage.remove([{ key: changed }]);
  }
});

it("removes one by one where the service refuses such a batch", async () => {
  const refs = await planted("k7");
  const { storage, sent } = await service(async () => refusal(400, "MalformedXML"));
  expect((await run(storage, refs)).filter((code) => code !== undefined)).toEqual(["Drifted"]);
  expect(await bucket.keys()).toEqual(["k7"]);
  expect(sent.filter((method) => method === "POST")).toHaveLength(1);
});

it("removes versions by their ids, never the latest version in their place", async () => {
  await bucket.storage.client.request({
    method: "PUT",
    bucket: "bucket",
    query: { versioning: "" },
    body: Buffer.from(
      "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
    ),
  });
  const refs: ObjectRef[] = [];
  for (const key of ["a", "b"]) {
    const { etag, versionId } = await bucket.storage.write(key, Buffer.from("old"));
    refs.push({ type: "object", alias: "a", bucket: "bucket", key, etag, versionId });
    await bucket.put(key, "latest");
  }
  expect(await run(bucket.storage, refs)).toEqual([undefined, undefined]);
  expect((await bucket.get("a")).toString()).toBe("latest");
});
