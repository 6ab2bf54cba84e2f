/**
 * A target that another writer makes or changes meanwhile: theirs or ours, whole, never a mixture.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { pseudoRandom, startBucket } from "../support/bucket.js";
import { useFaults } from "../support/faults.js";
import { OBJECT_GET, PART } from "../support/faulty-bucket.js";

const faults = useFaults();
const THEIRS = Buffer.from("somebody else's");

describe("a file that is made while it is downloaded", () => {
  const SIZES = { small: 10, streamed: 3 * MIB, "in ranges": 2 * PART };
  const cases = Object.entries(SIZES);

  /** Downloads; `meanwhile` happens when the bytes have been asked for. */
  async function download(size: number, meanwhile: (path: string) => void, noClobber: boolean) {
    const { bucket, proxy } = faults;
    const content = pseudoRandom(size);
    await bucket.straight.write("k", content);
    let happened = false;
    proxy.watch((line) => {
      if (happened || !OBJECT_GET.test(line)) return;
      happened = true;
      meanwhile(join(bucket.root, "files/out"));
    });
    const report = await bucket.download("k", {
      ifExists: noClobber ? "skip" : "replace",
      stateDir: bucket.state,
    });
    expect(happened).toBe(true);
    return { report, content };
  }
  const write = (path: string) => writeFileSync(path, THEIRS);

  it.each(cases)("is replaced as a whole (%s)", async (_name, size) => {
    const { report, content } = await download(size, write, false);
    expect(report.failures).toEqual([]);
    expect(faults.bucket.read("out").equals(content)).toBe(true);
    expect(faults.bucket.files()).toEqual(["out"]);
  });

  it.each(cases)("is left alone with --no-clobber (%s)", async (_name, size) => {
    const { report } = await download(size, write, true);
    expect(report).toMatchObject({ failures: [], left: [], snapshot: { items: { skipped: 1 } } });
    expect(faults.bucket.read("out").equals(THEIRS)).toBe(true);
    expect(faults.bucket.files()).toEqual(["out"]);
  });

  it.each(cases)("that becomes a directory is an error (%s)", async (_name, size) => {
    const { report } = await download(size, (path) => mkdirSync(path), false);
    expect(report.failures).toMatchObject([{ error: { kind: "conflict", code: "KeyCollision" } }]);
    expect(report.left).toEqual([]);
    expect(faults.bucket.files()).toEqual(["out"]);
  });
});

describe("an object that is made while it is uploaded", () => {
  /** Uploads to a bucket in which another writer writes the key when our bytes arrive. */
  async function upload(size: number, noClobber: boolean) {
    const bucket = await startBucket();
    onTestFinished(() => bucket.close());
    const content = pseudoRandom(size);
    let happened = false;
    const storage = await bucket.through((inner) => async (request, options) => {
      if (!happened && request.method === "PUT" && request.path === "/bucket/k") {
        happened = true;
        await bucket.put("k", THEIRS);
      }
      return inner(request, options);
    });
    const report = await copy({
      sources: [{ type: "path", path: bucket.file("k", content) }],
      target: { ...bucket.at("k"), storage },
      partSize: PART,
      stateDir: bucket.stateDir,
      ifExists: noClobber ? "skip" : "replace",
    });
    expect(happened).toBe(true);
    const uploads: unknown[] = [];
    for await (const page of bucket.storage.listUploads()) uploads.push(...page);
    expect(uploads).toEqual([]);
    return { report, content, stored: await bucket.get("k") };
  }
  const cases = [
    ["in one request", 10],
    ["in parts", 2 * PART],
  ] as const;

  it.each(cases)("is replaced as a whole (%s)", async (_name, size) => {
    const { report, content, stored } = await upload(size, false);
    expect(report.failures).toEqual([]);
    expect(stored.equals(content)).toBe(true);
  });

  it.each(cases)("is left alone with --no-clobber (%s)", async (_name, size) => {
    const { report, stored } = await upload(size, true);
    expect(report).toMatchObject({ failures: [], left: [], snapshot: { items: { skipped: 1 } } });
    expect(stored.equals(THEIRS)).toBe(true);
  });
});
