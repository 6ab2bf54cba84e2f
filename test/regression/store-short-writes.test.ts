/** A disk that is nearly full takes a part of a write; what was there must not be lost to it. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { pseudoRandom, startBucket, type TestBucket } from "../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => {
  vi.restoreAllMocks();
  bucket.close();
});

/** Lets `writev` take at most a few bytes, and fail with ENOSPC once `room` is used up. */
async function narrow(room: number): Promise<void> {
  const probe = await open(join(bucket.directory, "probe"), "w");
  const FileHandle = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const { write } = FileHandle as { write: (...args: unknown[]) => Promise<unknown> };
  let left = room;
  vi.spyOn(FileHandle, "writev").mockImplementation(async function (this: unknown, buffers) {
    if (left <= 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const first = buffers[0] as Buffer;
    const some = Math.min(first.length, 1000, left);
    left -= some;
    await write.call(this, first, 0, some);
    return { bytesWritten: some, buffers };
  });
}

it("writes the whole record of a small object, part by part", async () => {
  const content = pseudoRandom(10_000);
  await narrow(Infinity);
  await bucket.put("k", content);
  vi.restoreAllMocks();
  expect((await bucket.get("k")).equals(content)).toBe(true);
});

it("keeps the old object when there is room for half the new one", async () => {
  const old = pseudoRandom(5_000);
  await bucket.put("k", old);
  await narrow(4_000);
  await expect(bucket.put("k", pseudoRandom(10_000, 2))).rejects.toThrow();
  vi.restoreAllMocks();
  expect((await bucket.get("k")).equals(old)).toBe(true);
});
