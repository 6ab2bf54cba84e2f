/** Files that were lost, or written where nobody meant them to be. */
import * as fs from "node:fs";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { pseudoRandom, startBucket, type TestBucket } from "../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => {
  vi.restoreAllMocks();
  bucket.close();
});

const path = (name: string) => ({ type: "path", path: join(bucket.directory, name) }) as const;

it("does not write through a link that leads outside, even into a directory that has taken many files", async () => {
  const outside = bucket.file("outside.txt", "mine");
  mkdirSync(join(bucket.directory, "into"));
  symlinkSync(outside, join(bucket.directory, "into/b"));
  for (const key of ["p/a", "p/b", "p/c"]) await bucket.put(key, "theirs");
  const report = await copy({
    sources: [bucket.at("p/")],
    target: path("into"),
    recursive: true,
    concurrency: 1,
  });
  expect(readFileSync(outside, "utf8")).toBe("mine");
  expect(report.failures.map(({ error }) => error.code)).toEqual(["UnsafeKey"]);
  expect(readFileSync(join(bucket.directory, "into/c"), "utf8")).toBe("theirs");
});

it("writes every byte on a disk that accepts a write only in part", async () => {
  const content = pseudoRandom(3 * MIB);
  await bucket.put("k", content);
  const probe = await open(bucket.file("probe", ""), "r");
  const FileHandle = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const { write } = FileHandle as { write: (...args: unknown[]) => Promise<unknown> };
  vi.spyOn(FileHandle, "write").mockImplementation(function (this: unknown, ...args: unknown[]) {
    const [bytes, from = 0, length = Infinity, position] = args as [Buffer, ...number[]];
    const some = Math.min(length, bytes.length - from, 1000);
    return write.call(this, bytes, from, some, position) as never;
  });
  await copy({ sources: [bucket.at("k")], target: path("k") });
  expect(readFileSync(join(bucket.directory, "k")).equals(content)).toBe(true);
});

it.each([false, true])(
  "refuses two sources that would take one name (recursive: %s)",
  async (recursive) => {
    bucket.file("x/same", "one");
    bucket.file("y/same", "two");
    const both = copy({
      sources: [path("x/same"), path("y/same")],
      target: bucket.at("p/"),
      recursive,
    });
    await expect(both).rejects.toMatchObject({ kind: "usage", code: "SameName" });
    await bucket.put("x/same", "one");
    await bucket.put("y/same", "two");
    mkdirSync(join(bucket.directory, "into"));
    const sources = [bucket.at("x/same"), bucket.at("y/same")];
    const back = copy({ sources, target: path("into"), recursive });
    await expect(back).rejects.toMatchObject({ kind: "usage", code: "SameName" });
    expect(existsSync(join(bucket.directory, "into/same"))).toBe(false);
    expect(await bucket.keys("p/")).toEqual([]);
  },
);

it.skipIf(process.platform === "win32")(
  "keeps a backslash in the name of a directory, where it is a character like any other",
  async () => {
    bucket.file("we\\ird/f", "1");
    await bucket.put("k", "2");
    await copy({ sources: [path("we\\ird")], target: bucket.at("p"), recursive: true });
    expect(await bucket.keys("p/")).toEqual(["p/we\\ird/f"]);
    await copy({ sources: [bucket.at("k")], target: path("ends\\") });
    expect(readFileSync(join(bucket.directory, "ends\\"), "utf8")).toBe("2");
  },
);

it.skipIf(process.platform === "win32").each([10, 3 * MIB, 20 * MIB])(
  "leaves a private file private when it is replaced by %i bytes",
  async (size) => {
    await bucket.put("k", pseudoRandom(size));
    const target = bucket.file("k", "old");
    chmodSync(target, 0o600);
    await copy({ sources: [bucket.at("k")], target: path("k") });
    expect(statSync(target)).toMatchObject({ size, mode: 0o100600 });
  },
);

it("reports a key that the file system holds for another one, and keeps the first", async () => {
  for (const key of ["p/Dir/A", "p/dir/A"]) await bucket.put(key, key);
  bucket.file("into/dir/A", "p/Dir/A");
  const native = fs.realpathSync.native.bind(fs.realpathSync);
  // The answer of a file system that does not tell upper case from lower.
  vi.spyOn(fs.realpathSync, "native").mockImplementation(((asked: string) =>
    native(asked).replace("/dir/A", "/Dir/A")) as never);
  const report = await copy({
    sources: [bucket.at("p/dir/")],
    target: path("into"),
    recursive: true,
  });
  expect(report.failures).toEqual([]);
  const second = await copy({ sources: [bucket.at("p/")], target: path("into"), recursive: true });
  expect(second.failures).toMatchObject([{ error: { code: "KeyCollision" } }]);
  expect(readFileSync(join(bucket.directory, "into/dir/A"), "utf8")).toBe("p/Dir/A");
});
