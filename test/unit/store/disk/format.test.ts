/** A store of format 1, as pail 0.1 left it, opened by this version. */
import { linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { StoreFailure } from "../../../../src/store/errors.js";
import { openDirectory } from "../../../../src/store/disk/directory.js";
import { openDisk } from "../../../../src/store/disk/index.js";
import { STEP, dieAt } from "./faults.js";
import { bury, freshDirectory, put, readText } from "./support.js";

vi.mock("node:fs", async (original) => (await import("./faults.js")).faultyCalls(await original()));
vi.mock("node:fs/promises", async (original) =>
  (await import("./faults.js")).faultyFileSystem(await original()),
);

const KEYS = ["a", "dir/b", "dir/c"];

async function oldStore(): Promise<string> {
  const directory = await freshDirectory();
  for (const name of ["blobs", "tmp", "intents", "locks", "owners", "buckets/b+/uploads"]) {
    mkdirSync(join(directory, name), { recursive: true });
  }
  mkdirSync(join(directory, "buckets/b+/objects/dir+"), { recursive: true });
  writeFileSync(join(directory, "pail-store.json"), '{"format":1}\n');
  const bucket = { name: "b", region: "us-east-1", created: 0, tags: {} };
  writeFileSync(join(directory, "buckets/b+/bucket.json"), JSON.stringify(bucket));
  for (const key of KEYS) {
    const about = { headers: {}, metadata: {}, storageClass: "STANDARD", tags: {}, etag: key };
    const place = { id: "null", order: "f".repeat(32), size: key.length, modified: 0 };
    const record = JSON.stringify({ ...about, ...place, content: { kind: "inline" } });
    const path = `buckets/b+/objects/${key.replace("/", "+/")}=`;
    writeFileSync(join(directory, path), `${record}\n\n${key}`);
  }
  return directory;
}

/** Writes an owner file as an older pail does, here of a process that is alive. */
async function olderOwner(directory: string): Promise<string> {
  const disk = await openDirectory(await freshDirectory());
  await disk.owner.register();
  const file = join(disk.root, "owners", disk.owner.token);
  const { format: _none, ...older } = JSON.parse(readFileSync(file, "utf8")) as { format: number };
  const path = join(directory, "owners", "1-older");
  writeFileSync(path, JSON.stringify(older));
  return path;
}

async function listed(directory: string): Promise<string[]> {
  const query = { prefix: "", delimiter: "", limit: 10 };
  return (await openDisk(directory).listObjects("b", query)).entries.map(({ key }) => key);
}

const formatOf = (directory: string): unknown =>
  JSON.parse(readFileSync(join(directory, "pail-store.json"), "utf8"));

describe("a store of format 1", () => {
  it("opens with all its objects, and goes on as format 2", async () => {
    const directory = await oldStore();
    expect(await listed(directory)).toEqual(KEYS);
    const disk = openDisk(directory);
    await put(disk, "b", "new");
    expect(await listed(directory)).toEqual(["a", "b", ...KEYS.slice(1)]);
    expect(await readText(disk, "dir/b")).toBe("dir/b");
    expect(formatOf(directory)).toEqual({ format: 2 });
  });

  it("can be written to before it was ever listed, and then lists both old and new", async () => {
    const directory = await oldStore();
    await put(openDisk(directory), "z", "new");
    await openDisk(directory).deleteObject("b", "a");
    expect(await listed(directory)).toEqual([...KEYS.slice(1), "z"]);
  });

  it("is left as it is while an older pail is using it", async () => {
    const directory = await oldStore();
    await olderOwner(directory);
    await expect(listed(directory)).rejects.toThrow(/older version \(process 1\)/);
    expect(formatOf(directory)).toEqual({ format: 1 });
    expect(statSync(join(directory, "locks")).isDirectory()).toBe(true);
    await bury(directory);
    expect(await listed(directory)).toEqual(KEYS);
  });

  it("can no longer be locked by an older pail, open already or just opening", async () => {
    const directory = await oldStore();
    await listed(directory);
    const older = await olderOwner(directory);
    const lock = join(directory, "locks", "any");
    expect(() => linkSync(older, lock)).toThrow(/ENOTDIR/);
    expect(() => mkdirSync(join(directory, "locks"))).toThrow(/EEXIST/);
    expect(() => linkSync(older, lock)).toThrow(/ENOTDIR/);
  });

  it("is refused while an older pail that came in between still runs", async () => {
    const directory = await oldStore();
    writeFileSync(join(directory, "pail-store.json"), '{"format":2,"converting":true}');
    await olderOwner(directory);
    await expect(listed(directory)).rejects.toMatchObject({ status: 503 });
    // The message names a directory of this machine, so clients do not get it (errors.ts).
    await expect(listed(directory)).rejects.toBeInstanceOf(StoreFailure);
    expect(statSync(join(directory, "locks")).isFile()).toBe(true);
    await bury(directory);
    expect(await listed(directory)).toEqual(KEYS);
    expect(formatOf(directory)).toEqual({ format: 2 });
  });

  it("is whole after a process died at any call of the conversion", async () => {
    for (let call = 0; ; call += STEP) {
      const directory = await oldStore();
      const died = await dieAt(call, () => listed(directory));
      await bury(directory);
      if (call % 2 === 0) await put(openDisk(directory), "dir/c", "again");
      expect(await listed(directory), `after ${call} calls`).toEqual(KEYS);
      if (!died) break;
    }
  });
});
