import { appendFileSync, statSync } from "node:fs";

import { afterEach, beforeEach, expect, it } from "vitest";

import { createRun } from "../../../../src/core/engine/run.js";
import { fileState } from "../../../../src/core/local/attributes.js";
import { look } from "../../../../src/core/sync/look.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

it("does not accept a file as equal that has grown since it was listed, although it begins alike", async () => {
  await bucket.put("t/name", "bytes");
  const path = bucket.file("name", "bytes");
  const stats = statSync(path);
  const { size, mtimeMs: modified } = stats;
  const source = { name: "name", size, modified, etag: fileState(stats) };
  const { etag, lastModified } = await bucket.storage.stat("t/name");
  const target = { name: "name", size, modified: lastModified, etag };
  const side = { type: "path", path: bucket.directory } as const;
  const compared = () => look(createRun({}), side, bucket.at("t/"), { source, target }, "auto");
  expect(await compared()).toMatchObject({ size });
  appendFileSync(path, " and more");
  expect(await compared()).toBe("checksum");
});
