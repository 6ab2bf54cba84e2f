/** A job on many objects that is cancelled in its middle: nothing is lost, and all of it can be undone. */
import { afterEach, expect, it } from "vitest";

import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { type RunningMcp, factsOf, startMcp } from "../support/mcp.js";

const KEYS = Array.from({ length: 40 }, (_, i) => `k${String(i).padStart(2, "0")}`);
const CANCELLED_AT = [1, 7, 23];

let mcp: RunningMcp;
afterEach(() => mcp.close());

async function keys(bucket: string): Promise<string[]> {
  const found: string[] = [];
  for await (const page of mcp.bucket(bucket).list()) found.push(...page.map(({ key }) => key));
  return found;
}

/** The storage, which calls back before, or after, a request of one kind. */
function telling(
  storage: BucketStorage,
  on: "copyFrom" | "remove",
  when: "before" | "after",
  tell: () => void,
): BucketStorage {
  const act = async <T>(work: () => Promise<T>): Promise<T> => {
    if (when === "before") tell();
    const result = await work();
    if (when === "after") tell();
    return result;
  };
  return {
    ...storage,
    ...(on === "copyFrom"
      ? { copyFrom: (...args) => act(() => storage.copyFrom(...args)) }
      : { remove: (...args) => act(() => storage.remove(...args)) }),
  };
}

it.each([
  ["copyFrom", "before"],
  ["copyFrom", "after"],
  ["remove", "before"],
  ["remove", "after"],
] as const)("moving objects, %s a request: %s", async (on, when) => {
  let left = 0;
  let stop = new AbortController();
  mcp = await startMcp({
    answer: () => "yes",
    storage: (storage) =>
      telling(storage, on, when, () => {
        left -= 1;
        if (left === 0) stop.abort();
      }),
  });
  for (const name of ["source", "target"]) await mcp.service.make(name);
  await Promise.all(KEYS.map((key) => mcp.bucket("source").write(key, Buffer.from(key))));
  const etags = new Map<string, string | undefined>();
  for (const key of KEYS) etags.set(key, (await mcp.bucket("source").stat(key)).etag);

  for (const at of CANCELLED_AT) {
    left = at;
    stop = new AbortController();
    const args = { source_bucket: "source", bucket_name: "target", move: true };
    const moving = mcp.client.callTool({ name: "copy_objects", arguments: args }, undefined, {
      signal: stop.signal,
    });
    await expect(moving).rejects.toThrow();
    await mcp.idle();
    // Each object is somewhere.
    const there = new Set([...(await keys("source")), ...(await keys("target"))]);
    expect([...there].sort()).toEqual(KEYS);
    const names = [...new Set((await mcp.journal.changes()).map(({ call }) => call))];
    const undone = await mcp.call("undo_changes", { undo: names });
    expect(factsOf(undone)["not_undone"] ?? 0).toBe(0);
    expect(await keys("source")).toEqual(KEYS);
    expect(await keys("target")).toEqual([]);
    for (const key of KEYS) {
      expect((await mcp.bucket("source").stat(key)).etag).toBe(etags.get(key));
    }
  }
});
