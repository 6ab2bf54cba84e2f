import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chunksOf, freshDisk, md5, put, read, readAll, readText } from "./support.js";

const GARBAGE = ["garbage", "", "{}\n\n", "null\n\n", '{"id":"null","content":{"ki'];
const LARGE = Buffer.alloc(100_000, "large ");

async function damage(directory: string, key: string, content: string): Promise<string> {
  const path = join(directory, `buckets/b+/objects/${key}=`);
  writeFileSync(path, content);
  return path;
}

describe("an object that has lost its end", () => {
  it.each([[Buffer.from("small")], [LARGE]])("fails when it is read", async (bytes) => {
    const { disk, directory } = await freshDisk();
    await put(disk, "k", bytes);
    const [blob] = readdirSync(join(directory, "blobs"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const path = blob ?? join(directory, "buckets/b+/objects/k=");
    truncateSync(path, statSync(path).size - 1);
    await expect(read(disk, "k")).rejects.toThrow("shorter than its record");
    const { start, end } = { start: 0, end: bytes.length - 2 };
    const opened = await disk.openObject("b", "k");
    expect((await readAll(opened.read(start, end))).equals(bytes.subarray(0, -1))).toBe(true);
  });
});

describe("a record that cannot be read", () => {
  it.each(GARBAGE)("shows in listings, fails when read, and can be replaced: %j", async (text) => {
    const { disk, directory } = await freshDisk();
    for (const key of ["a", "b", "c"]) await put(disk, key, key);
    await damage(directory, "b", text);
    const { entries } = await disk.listObjects("b", { prefix: "", delimiter: "", limit: 10 });
    expect(entries.map(({ key, damaged }) => [key, damaged])).toEqual([
      ["a", undefined],
      ["b", true],
      ["c", undefined],
    ]);
    const refused = {
      code: "InternalError",
      message: expect.stringContaining("damaged") as string,
    };
    await expect(disk.headObject("b", "b")).rejects.toMatchObject(refused);
    await expect(disk.openObject("b", "b")).rejects.toMatchObject(refused);
    await expect(disk.updateObject("b", "b", undefined, { tags: {} })).rejects.toMatchObject(
      refused,
    );
    await put(disk, "b", "again");
    expect(await readText(disk, "b")).toBe("again");
    const [kept] = readdirSync(join(directory, "damaged"));
    expect(readFileSync(join(directory, "damaged", kept!), "utf8")).toBe(text);
  });

  it("can be removed, and the bucket after it", async () => {
    const { disk, directory } = await freshDisk();
    await put(disk, "k", "x");
    await damage(directory, "k", "garbage");
    await disk.deleteObject("b", "k");
    await expect(disk.headObject("b", "k")).rejects.toMatchObject({ code: "NoSuchKey" });
    await disk.deleteBucket("b");
    expect(readdirSync(join(directory, "damaged"))).toHaveLength(1);
  });

  it("in a versioned bucket stays under the versions that follow it", async () => {
    const { disk, directory } = await freshDisk("Enabled");
    await put(disk, "k", "x");
    await damage(directory, "k", "garbage");
    await put(disk, "k", "new");
    expect(await readText(disk, "k")).toBe("new");
    const query = { prefix: "", delimiter: "", limit: 10 };
    const { entries } = await disk.listVersions("b", query);
    expect(entries.map(({ damaged }) => damaged)).toEqual([undefined, true]);
    await expect(disk.headObject("b", "k", "null")).rejects.toMatchObject({
      code: "InternalError",
    });
    await disk.deleteObject("b", "k", "null");
    expect((await disk.listVersions("b", query)).entries).toHaveLength(1);
  });

  it("is repaired only while it has not changed", async () => {
    const { disk, directory } = await freshDisk();
    await put(disk, "k", "x");
    await damage(directory, "k", "garbage");
    const { entries } = await disk.listVersions("b", { prefix: "", delimiter: "", limit: 10 });
    await put(disk, "k", "new");
    const removal = disk.deleteObject("b", "k", "null", { ifStill: entries[0]! });
    await expect(removal).rejects.toMatchObject({ code: "PreconditionFailed" });
    expect(await readText(disk, "k")).toBe("new");
  });

  it("takes no bytes with it: the blobs it referred to stay", async () => {
    const { disk, directory } = await freshDisk();
    const blob = await disk.stage(chunksOf(LARGE));
    const about = { headers: {}, metadata: {}, storageClass: "STANDARD", tags: {} };
    await disk.putObject("b", "k", blob, { ...about, etag: md5(LARGE) });
    const before = await readdir(join(directory, "blobs"), { recursive: true });
    truncateSync(join(directory, "buckets/b+/objects/k="), 20);
    await put(disk, "k", "small");
    expect(await readdir(join(directory, "blobs"), { recursive: true })).toEqual(before);
    expect((await read(disk, "k")).toString()).toBe("small");
  });
});
