/** What was begun for one object must not end up in another. */
import { isAbsolute, join, relative } from "node:path";
import { readFileSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";

import { copy } from "../../src/core/transfer/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import type { CopyRequest } from "../../src/core/transfer/types.js";
import { pseudoRandom, recorder, startBucket, type TestBucket } from "../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

/** Runs until a few bytes have moved. */
async function interrupted(request: CopyRequest): Promise<void> {
  const abort = new AbortController();
  const onEvent: CopyRequest["onEvent"] = ({ type }) => {
    if (type === "bytes") abort.abort();
  };
  const running = copy({ ...request, signal: abort.signal, onEvent });
  await expect(running).rejects.toMatchObject({ kind: "interrupted" });
}

it("starts an upload over when other headers are asked for, since it has the old ones", async () => {
  const path = bucket.file("big", pseudoRandom(40 * MIB));
  const request: CopyRequest = {
    sources: [{ type: "path", path }],
    target: bucket.at("big"),
    stateDir: bucket.stateDir,
  };
  await interrupted({ ...request, contentType: "text/old", metadata: { who: "old" } });
  const seen = recorder();
  await copy({ ...request, contentType: "text/new", onEvent: seen.onEvent });
  expect(seen.of("restarted")).toHaveLength(1);
  expect(await bucket.storage.stat("big")).toMatchObject({ contentType: "text/new", metadata: {} });
  for await (const page of bucket.storage.listUploads()) expect(page).toEqual([]);
});

it("remembers a partial file so that it is found from another directory", async () => {
  const path = bucket.file("big", pseudoRandom(40 * MIB));
  await copy({ sources: [{ type: "path", path }], target: bucket.at("big") });
  await interrupted({
    sources: [bucket.at("big")],
    target: { type: "path", path: relative(process.cwd(), join(bucket.directory, "back")) },
    stateDir: bucket.stateDir,
  });
  const transfers = join(bucket.stateDir, "transfers");
  const [record] = readdirSync(transfers).map((name) =>
    readFileSync(join(transfers, name), "utf8"),
  );
  const { temporary } = JSON.parse(record!.split("\n")[0]!) as { temporary: string };
  expect(isAbsolute(temporary)).toBe(true);
});
