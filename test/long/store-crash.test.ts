/** Writers killed with SIGKILL at random instants, and what they leave. */
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectRecord } from "../../src/store/records.js";
import type { Backend } from "../../src/store/disk/index.js";
import { openDirectory } from "../../src/store/disk/directory.js";
import { openDisk } from "../../src/store/disk/index.js";
import { sweep } from "../../src/store/disk/sweep.js";
import { bundle, start } from "../support/worker.js";

const ROUNDS = 30;
const EVERYTHING = { prefix: "", delimiter: "", limit: 1000 };

let worker: { file: string; directory: string };
let directory: string;
beforeAll(async () => {
  worker = await bundle(new URL("../support/disk-worker.ts", import.meta.url));
  directory = await mkdtemp(join(tmpdir(), "pail-crash-"));
});
afterAll(async () => {
  await rm(worker.directory, { recursive: true, force: true, maxRetries: 5 });
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** The objects that the worker's lines allow: for each key its ETags, null for no object. */
interface Expected {
  readonly objects: Map<string, (string | null)[]>;
  /** Versions that must be there, by id, with their ETags. */
  readonly versions: Map<string, string>;
  /** The ETag of a version, or the id of one, that may or may not be there. */
  uncertain: string | undefined;
}

function follow(expected: Expected, lines: readonly Record<string, unknown>[]): void {
  expected.uncertain = undefined;
  let begun: { key: string; etag: string | null } | undefined;
  for (const line of lines) {
    if (typeof line["begin"] === "string") {
      begun = { key: line["begin"], etag: line["etag"] as string | null };
      expected.objects.set(begun.key, [...(expected.objects.get(begun.key) ?? [null]), begun.etag]);
    } else if (typeof line["version"] === "string") {
      expected.uncertain = line["version"];
    } else if (typeof line["removing"] === "string") {
      expected.uncertain = line["removing"];
      expected.versions.delete(line["removing"]);
    } else if (line["made"] !== undefined) {
      const { versionId, etag } = line["made"] as { versionId: string; etag: string };
      expected.versions.set(versionId, etag);
      expected.uncertain = undefined;
    } else {
      if (begun !== undefined) expected.objects.set(begun.key, [begun.etag]);
      begun = undefined;
      expected.uncertain = undefined;
    }
  }
}

async function md5Of(disk: Backend, bucket: string, record: ObjectRecord): Promise<string> {
  const opened = await disk.openObject(bucket, record.key, record.versionId);
  const hash = createHash("md5");
  let size = 0;
  for await (const chunk of opened.read(0, record.size - 1)) {
    hash.update(chunk);
    size += chunk.length;
  }
  expect(size).toBe(record.size);
  return hash.digest("hex");
}

/** Checks that listing, get and ETag agree with each other and with what the worker said. */
async function verify(disk: Backend, expected: Expected): Promise<void> {
  const objects = await disk.listObjects("plain", EVERYTHING);
  const found = new Map(objects.entries.map((record) => [record.key, record.etag]));
  for (const record of objects.entries) {
    expect(await md5Of(disk, "plain", record)).toBe(record.etag);
    expect((await disk.headObject("plain", record.key)).etag).toBe(record.etag);
    expect(expected.objects.has(record.key)).toBe(true);
  }
  for (const [key, allowed] of expected.objects) {
    expect(allowed).toContain(found.get(key) ?? null);
    expected.objects.set(key, [found.get(key) ?? null]);
  }
  const versions = await disk.listVersions("versioned", EVERYTHING);
  for (const record of versions.entries) {
    expect(await md5Of(disk, "versioned", record)).toBe(record.etag);
    const known = expected.versions.get(record.versionId);
    if (known === undefined) expect([record.etag, record.versionId]).toContain(expected.uncertain);
    else expect(record.etag).toBe(known);
    expected.versions.set(record.versionId, record.etag);
  }
  const ids = new Set(versions.entries.map(({ versionId }) => versionId));
  expect([...expected.versions.keys()].filter((id) => !ids.has(id))).toEqual([]);
}

/** Checks that nothing is on disk but what the buckets refer to. */
async function verifySwept(disk: Backend): Promise<void> {
  await sweep(await openDirectory(directory));
  for (const { key, uploadId } of await disk.listUploads("plain", "")) {
    await disk.abortUpload("plain", key, uploadId);
  }
  const names = async (place: string): Promise<string[]> => readdir(join(directory, place));
  expect([await names("tmp"), await names("intents"), await names("held")]).toEqual([[], [], []]);
  const { entries } = await disk.listObjects("plain", EVERYTHING);
  const versions = await disk.listVersions("versioned", EVERYTHING);
  const all = [...entries, ...versions.entries];
  const inFiles = all.filter(({ size }) => size > 65_536).length;
  const shards = await names("blobs");
  const blobs = await Promise.all(shards.map((shard) => names(join("blobs", shard))));
  expect(blobs.flat()).toHaveLength(inFiles);
}

describe("a writer killed at a random instant", () => {
  it(`leaves complete objects, old or new, in each of ${ROUNDS} rounds, and no unused file after a sweep`, async () => {
    const disk = openDisk(directory);
    await disk.createBucket("plain", "us-east-1");
    await disk.createBucket("versioned", "us-east-1");
    await disk.updateBucket("versioned", { versioning: "Enabled" });
    const expected: Expected = { objects: new Map(), versions: new Map(), uncertain: undefined };
    for (let round = 0; round < ROUNDS; round += 1) {
      const last = 1 + Math.floor(Math.random() * 30);
      const delay = Math.random() * 4;
      const child = start(
        worker.file,
        ["churn", directory, `w${round}`, `${round}`],
        (_, count) => {
          if (count === last) setTimeout(() => child.kill(), delay);
        },
      );
      const { lines, code } = await child.ended;
      expect(code).toBeNull();
      follow(expected, lines);
      // Every second time by a process that has just come, else by one that was there.
      await verify(round % 2 === 0 ? openDisk(directory) : disk, expected);
      if (round % 5 === 4) await verifySwept(disk);
    }
  });
});
