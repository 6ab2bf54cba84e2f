/** The sums a question tells: as they grow, and what a deletion leaves. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { bucketService } from "../../../../src/core/storage/buckets.js";
import { count } from "../../../../src/tui/controller/count.js";
import type { Deps } from "../../../../src/tui/controller/deps.js";
import type { Action } from "../../../../src/tui/state/actions.js";
import type { JobTarget } from "../../../../src/tui/state/types.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
  for (const key of ["a/1", "a/2", "ab", "c"]) await bucket.put(key, "12345");
});
afterAll(() => bucket.close());

async function counts(
  targets: readonly JobTarget[],
  {
    context = {},
    signal = new AbortController().signal,
  }: { context?: object; signal?: AbortSignal } = {},
) {
  const told: Extract<Action, { type: "counted" }>["count"][] = [];
  const deps = {
    context: {
      bucket: async () => bucket.storage,
      buckets: async () => bucketService(bucket.storage.client),
      ...context,
    },
    dispatch: (action: Action) => {
      if (action.type === "counted") told.push(action.count);
    },
  } as unknown as Deps;
  const from = { alias: "local", bucket: "bucket", prefix: "" };
  await count(deps, { type: "count", dialog: 1, from, targets, versions: false }, signal);
  return told;
}

const prefix = { type: "prefix", key: "a/" } as const;
const object = { type: "object", key: "c", size: 5 } as const;

it("adds up objects and what is below prefixes, and is done at the end only", async () => {
  const told = await counts([object, prefix]);
  expect(told.at(-1)).toEqual({ objects: 3, bytes: 15, done: true, keeps: "nothing" });
  expect(told.slice(0, -1).every(({ done }) => !done)).toBe(true);
});

it("does not know what is kept where that may not be asked", async () => {
  const buckets = () => Promise.reject(new Error("denied"));
  expect((await counts([object], { context: { buckets } })).at(-1)).toMatchObject({
    done: true,
    keeps: undefined,
  });
});

it("says why it cannot count, and is then not done", async () => {
  const missing = { ...bucket.storage, bucket: "missing" };
  const context = { bucket: () => Promise.reject(new Error(`no ${missing.bucket}`)) };
  const told = await counts([object, prefix], { context });
  expect(told).toEqual([
    expect.objectContaining({ done: false, failure: expect.objectContaining({ kind: "bug" }) }),
  ]);
});

it("tells nothing more once its question is closed", async () => {
  const abort = new AbortController();
  abort.abort();
  expect(await counts([object, prefix], { signal: abort.signal })).toEqual([]);
});
