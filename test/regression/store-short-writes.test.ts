/** A disk that is nearly full takes a part of a write; what was there must not be lost to it. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { pseudoRandom, startBucket, type TestBucket } from "../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => {
  restore();
  bucket.close();
});

/** Lets `writevSync` take at most a few bytes, and fail with ENOSPC once `room` is used up. */
function narrow(room: number): void {
  let left = room;
  vi.spyOn(fs, "writevSync").mockImplementation((file, buffers) => {
    if (left <= 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const first = buffers[0] as Buffer;
    const some = Math.min(first.length, 1000, left);
    left -= some;
    return fs.writeSync(file, first, 0, some);
  });
  syncBuiltinESMExports();
}

function restore(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

it("writes the whole record of a small object, part by part", async () => {
  const content = pseudoRandom(10_000);
  narrow(Infinity);
  await bucket.put("k", content);
  restore();
  expect((await bucket.get("k")).equals(content)).toBe(true);
});

it("keeps the old object when there is room for half the new one", async () => {
  const old = pseudoRandom(5_000);
  await bucket.put("k", old);
  narrow(4_000);
  await expect(bucket.put("k", pseudoRandom(10_000, 2))).rejects.toThrow();
  restore();
  expect((await bucket.get("k")).equals(old)).toBe(true);
});
