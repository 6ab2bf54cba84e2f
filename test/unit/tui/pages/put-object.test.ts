/** A new file or directory of the console: made where nothing is, and never over what is there. */
import { afterAll, beforeAll, expect, it } from "vitest";

import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import type { Deps } from "../../../../src/tui/controller/deps.js";
import { putObject } from "../../../../src/tui/pages/objects/load.js";
import type { Action } from "../../../../src/tui/state/actions.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
});
afterAll(() => bucket.close());

async function make(key: string, text: string, storage = bucket.storage) {
  const told: Action[] = [];
  const deps = {
    context: { bucket: async () => storage },
    dispatch: (action: Action) => told.push(action),
  } as unknown as Deps;
  const place = { alias: "local", bucket: "bucket", prefix: "" };
  const { signal } = new AbortController();
  await putObject(deps, { type: "put-object", dialog: 1, place, key, text }, signal);
  return told;
}

it("is made where nothing is, with the type of its name", async () => {
  expect(await make("a.txt", "hello")).toMatchObject([{ type: "object-put", entry: { size: 5 } }]);
  await make("d/", "");
  expect(await bucket.storage.stat("a.txt")).toMatchObject({ contentType: "text/plain" });
  expect(await bucket.storage.stat("d/")).toMatchObject({ contentType: "application/x-directory" });
});

it("never replaces what is there, also where the service takes no notice of If-None-Match", async () => {
  const write: BucketStorage["write"] = (key, body, { ifNoneMatch: _unheeded, ...options } = {}) =>
    bucket.storage.write(key, body, options);
  await bucket.put("taken", "mine");
  for (const storage of [bucket.storage, { ...bucket.storage, write }]) {
    expect(await make("taken", "new", storage)).toMatchObject([
      { type: "dialog-failed", failure: { code: "TargetExists" } },
    ]);
  }
  // One that comes between the look and the write.
  const late = {
    ...bucket.storage,
    write: async (...args: Parameters<BucketStorage["write"]>) => {
      await bucket.put("late", "theirs");
      return bucket.storage.write(...args);
    },
  };
  expect(await make("late", "new", late)).toMatchObject([{ type: "dialog-failed" }]);
  expect((await bucket.get("taken")).toString()).toBe("mine");
  expect((await bucket.get("late")).toString()).toBe("theirs");
});
