/**
 * The write of one thing to its target: over the expected object or file, and over nothing else.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createRun } from "../../../../src/core/engine/run.js";
import type { Expected } from "../../../../src/core/operations/if-exists.js";
import { targetRef } from "../../../../src/core/operations/plan.js";
import { targetWork } from "../../../../src/core/operations/targets.js";
import type { CopyRequest, Place } from "../../../../src/core/operations/types.js";
import { nameOf } from "../../../../src/core/ref.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
let root: string;
beforeAll(async () => {
  bucket = await startBucket();
  root = join(bucket.directory, "down");
  for (const key of ["src", "marker/", "full/"]) {
    await bucket.put(key, key === "marker/" ? "" : `of ${key}`);
  }
});
afterAll(() => bucket.close());

const etagOf = async (key: string) => (await bucket.storage.stat(key)).etag!;

/** Writes the object `key` to the target. */
async function write(
  key: string,
  target: Place,
  {
    name = key,
    container = false,
    expected,
    ...more
  }: Partial<CopyRequest> & {
    name?: string;
    container?: boolean;
    expected?: Expected;
  } = {},
) {
  const run = createRun({});
  const { size, etag } = await bucket.storage.stat(key);
  const ref = { type: "object", alias: "local", bucket: "bucket", key, etag } as const;
  const source = { type: "object", name, size, ref, storage: bucket.storage } as const;
  const to = targetRef(target, container, name);
  const action = target.type === "bucket" ? "copy" : "download";
  const item = run.item({ action, source: ref, target: to, size });
  const work = targetWork(run, { sources: [], target, ...more }, container);
  const copied = await work.copy(item, source, undefined, expected);
  return copied === "exists" ? copied : { ...copied, name: nameOf(copied.target ?? to) };
}

describe("a write over an expected state", () => {
  it("makes an object where there is none, and not over another", async () => {
    const copied = await write("src", bucket.at("new"), { expected: "nothing" });
    expect(copied).toMatchObject({ name: "local/bucket/new", wasNew: true });
    await bucket.put("taken", "mine");
    const again = write("src", bucket.at("taken"), { expected: "nothing" });
    await expect(again).rejects.toMatchObject({ code: "Drifted" });
    expect((await bucket.get("taken")).toString()).toBe("mine");
  });

  it("replaces an object in just that state", async () => {
    await bucket.put("state", "one");
    const seen = { etag: await etagOf("state") };
    await bucket.put("state", "two");
    await expect(write("src", bucket.at("state"), { expected: seen })).rejects.toMatchObject({
      code: "Drifted",
    });
    expect((await bucket.get("state")).toString()).toBe("two");
    const now = { etag: await etagOf("state") };
    expect(await write("src", bucket.at("state"), { expected: now })).toMatchObject({
      wasNew: false,
    });
    expect((await bucket.get("state")).toString()).toBe("of src");
  });

  it("makes a file where there is none, and leaves one that appeared meanwhile", async () => {
    const path = join(root, "file");
    const target: Place = { type: "path", path };
    await write("src", target, { expected: "nothing" });
    expect(readFileSync(path, "utf8")).toBe("of src");
    await bucket.put("src2", "else");
    await expect(write("src2", target, { expected: "nothing" })).rejects.toMatchObject({
      code: "Drifted",
    });
    expect(readFileSync(path, "utf8")).toBe("of src");
  });
});

describe("a target whose name is taken", () => {
  it("is replaced, left, refused, or gets a neighbour with a number", async () => {
    await bucket.put("t/k.txt", "old");
    const at = bucket.at("t/k.txt");
    expect(await write("src", at, { ifExists: "skip" })).toBe("exists");
    await expect(write("src", at, { ifExists: "fail" })).rejects.toMatchObject({
      code: "TargetExists",
    });
    expect((await bucket.get("t/k.txt")).toString()).toBe("old");
    expect(await write("src", at, { ifExists: "keep-both" })).toMatchObject({
      name: "local/bucket/t/k (2).txt",
    });
    expect(await write("src", at)).toMatchObject({ name: "local/bucket/t/k.txt" });
    expect(await bucket.keys("t/")).toEqual(["t/k (2).txt", "t/k.txt"]);
  });
});

describe("a key that ends with a slash", () => {
  it("becomes a directory when it is empty, and is refused when it is not", async () => {
    const target: Place = { type: "path", path: `${root}/` };
    await write("marker/", target, { container: true });
    expect(statSync(join(root, "marker")).isDirectory()).toBe(true);
    await expect(write("full/", target, { container: true })).rejects.toMatchObject({
      code: "KeyCollision",
      hint: expect.stringContaining("pail cp local/bucket/full/ ./NAME"),
    });
    expect(existsSync(join(root, "full"))).toBe(false);
  });
});

describe("a name that would leave the target", () => {
  it("is refused", async () => {
    const target: Place = { type: "path", path: `${root}/` };
    await expect(
      write("src", target, { container: true, name: "../escaped" }),
    ).rejects.toMatchObject({ code: "UnsafeKey" });
    expect(existsSync(join(root, "..", "escaped"))).toBe(false);
  });
});
