import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { LOCAL_ALIAS, resolveAlias } from "../../../../src/core/config/resolve.js";
import { AppError } from "../../../../src/core/failures/errors.js";
import { share } from "../../../../src/core/operations/share.js";
import { readAll } from "../../../../src/protocol/message.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { clientFor } from "../../../support/client.js";

const HOUR = 3_600_000;
const NONE = { version: 1, aliases: {} } as const;
let bucket: TestBucket;
afterEach(() => bucket.close());

const environment = { PAIL_HOST_far: "http://AK:SKSKSKSK@127.0.0.1:1" };
const request = { bucket: "bucket", key: "a/b c", seconds: 60 };

describe("a shared link", () => {
  beforeEach(async () => {
    bucket = await startBucket();
  });

  it("reads this object without credentials, and no other", async () => {
    await bucket.put("a/b c", "bytes");
    const link = await share({
      ...request,
      alias: resolveAlias("far", environment, NONE),
      connect: async () => bucket.storage.client,
    });
    expect(link.note).toBeUndefined();
    const { origin, pathname, search } = link.url;
    const get = (path: string) =>
      bucket.store.handler({
        method: "GET",
        origin,
        path,
        query: search.slice(1),
        headers: { host: link.url.host },
      });
    const { status, body } = await get(pathname);
    expect([status, (await readAll(body, 1024)).toString()]).toEqual([200, "bytes"]);
    expect((await get("/bucket/other")).status).toBe(403);
  });

  it("to the embedded store leads to the served address, and a remark says so", async () => {
    const asked: string[] = [];
    const { url, note } = await share({
      ...request,
      alias: resolveAlias(LOCAL_ALIAS, {}, NONE),
      connect: async (alias) => {
        asked.push(alias.url.host);
        return bucket.storage.client;
      },
      servedAt: "10.0.0.1:8000",
    });
    expect(asked).toEqual(["10.0.0.1:8000"]);
    expect(note).toBe("it works while this runs: pail serve --address 10.0.0.1:8000");
    expect(url.searchParams.get("X-Amz-Expires")).toBe("60");
  });

  it("can be made where no service answers", async () => {
    const handler = () => Promise.reject(new AppError({ kind: "denied", code: "X", message: "x" }));
    const { url } = await share({
      ...request,
      alias: resolveAlias("far", environment, NONE),
      connect: async () => clientFor({ handler }),
    });
    expect(url.searchParams.get("X-Amz-Signature")).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("with a wrong clock here", () => {
  it("a link is signed for the service's time", async () => {
    bucket = await startBucket({ ahead: 5 * HOUR });
    const credentials = await bucket.store.keys.first();
    const link = await share({
      ...request,
      alias: resolveAlias("far", environment, NONE),
      connect: async () => clientFor({ handler: bucket.store.handler, credentials }),
    });
    expect(link.expires.getTime() - Date.now()).toBeGreaterThan(4.9 * HOUR);
    const answered = await bucket.store.handler({
      method: "GET",
      origin: link.url.origin,
      path: link.url.pathname,
      query: link.url.search.slice(1),
      headers: { host: link.url.host },
    });
    expect(answered.status).toBe(404);
  });
});
