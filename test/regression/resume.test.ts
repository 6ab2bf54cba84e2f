/** A transfer that was begun for one object must not end up in another. */
import { isAbsolute, join, relative } from "node:path";
import { readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import type { CopyRequest } from "../../src/core/operations/types.js";
import { pseudoRandom, recorder, startBucket, type TestBucket } from "../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

/** Runs until some bytes have moved. */
async function interrupted(request: CopyRequest, bytes = 0): Promise<void> {
  const abort = new AbortController();
  let moved = 0;
  const onEvent: CopyRequest["onEvent"] = (event) => {
    if (event.type === "bytes") moved += event.count;
    if (moved > bytes) abort.abort();
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

it.each(["none", "CRC32"] as const)(
  "mixes no parts of an older content that had the same size and time (checksum %s)",
  async (checksum) => {
    const path = bucket.file("big", pseudoRandom(60 * MIB));
    utimesSync(path, 1_000_000, 1_000_000);
    const request: CopyRequest = {
      sources: [{ type: "path", path }],
      target: bucket.at("big"),
      stateDir: bucket.stateDir,
      checksum,
      partSize: 5 * MIB,
    };
    // More than can be under way at once: some parts are done.
    await interrupted(request, 45 * MIB);
    const changed = pseudoRandom(60 * MIB, 2);
    writeFileSync(path, changed);
    utimesSync(path, 1_000_000, 1_000_000);
    await copy(request);
    expect((await bucket.get("big")).equals(changed)).toBe(true);
  },
);
