import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { copy } from "../../../../src/core/operations/copy.js";
import { pseudoRandom, startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => {
  bucket.close();
});

const MIB = 1024 * 1024;
const WHEN = 1_500_000_000.25;
const file = (path: string) => ({ type: "path", path }) as const;

describe("the attributes of a file", () => {
  it.each([10, 2 * MIB, 20 * MIB])("of %i bytes go up and come down with it", async (size) => {
    const path = bucket.file("a", pseudoRandom(size));
    utimesSync(path, WHEN, WHEN);
    await copy({ sources: [file(path)], target: bucket.at("a") });
    const { metadata } = await bucket.storage.stat("a");
    expect(metadata).toEqual({ mtime: "1500000000.25" });
    const target = join(bucket.directory, "b");
    await copy({ sources: [bucket.at("a")], target: file(target) });
    expect(statSync(target).mtimeMs).toBe(WHEN * 1000);
    expect(readFileSync(target).equals(readFileSync(path))).toBe(true);
  });

  it("are left out when asked, and a metadata entry given by hand wins", async () => {
    const path = bucket.file("a", "a");
    const none = { time: false, owner: false };
    await copy({ sources: [file(path)], target: bucket.at("a"), preserve: none });
    expect((await bucket.storage.stat("a")).metadata).toEqual({});
    await copy({ sources: [file(path)], target: bucket.at("b"), metadata: { mtime: "7" } });
    expect((await bucket.storage.stat("b")).metadata).toEqual({ mtime: "7" });
  });

  it("include the mode when asked, never more than its permission bits", async () => {
    const path = bucket.file("a", "a");
    chmodSync(path, 0o640);
    const preserve = { time: true, owner: true };
    await copy({ sources: [file(path)], target: bucket.at("a"), preserve });
    expect((await bucket.storage.stat("a")).metadata).toMatchObject({ mode: "0100640" });
    const target = join(bucket.directory, "down");
    await copy({ sources: [bucket.at("a")], target: file(target), preserve });
    expect(statSync(target).mode & 0o7777).toBe(0o640);
    await bucket.storage.write("evil", Buffer.from("x"), { metadata: { mode: "0104755" } });
    const other = join(bucket.directory, "evil");
    await copy({ sources: [bucket.at("evil")], target: file(other), preserve });
    expect(statSync(other).mode & 0o7777).toBe(0o755);
  });

  it("that make no sense in the metadata are ignored: the time of the upload is taken", async () => {
    mkdirSync(join(bucket.directory, "down"));
    for (const mtime of ["99999999999", "-9999999999", "soon", "NaN"]) {
      await bucket.storage.write("x", Buffer.from("x"), { metadata: { mtime } });
      await copy({ sources: [bucket.at("x")], target: file(join(bucket.directory, "down/")) });
      const { lastModified } = await bucket.storage.stat("x");
      expect(statSync(join(bucket.directory, "down", "x")).mtimeMs).toBe(lastModified);
    }
  });
});
