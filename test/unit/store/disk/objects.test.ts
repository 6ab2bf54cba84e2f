import { randomBytes } from "node:crypto";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDisk } from "../../../../src/store/disk/index.js";
import { filesUnder } from "./left-over.js";
import {
  ABOUT,
  chunksOf,
  freshDirectory,
  freshDisk,
  md5,
  put,
  read,
  readAll,
  readText,
} from "./support.js";

const INLINE = 64 * 1024;

describe("objects on disk", () => {
  it("come back as they were, at every size around the limits", async () => {
    const { disk } = await freshDisk();
    for (const size of [
      0,
      1,
      INLINE - 1,
      INLINE,
      INLINE + 1,
      524_287,
      524_288,
      524_289,
      3_000_001,
    ]) {
      const bytes = randomBytes(size);
      for (const chunk of [1000, 65_536, 4_000_000]) {
        const key = `${size}/${chunk}`;
        const blob = await disk.stage(chunksOf(bytes, chunk));
        expect(blob.size).toBe(size);
        const about = { ...ABOUT, etag: md5(bytes), metadata: { chunk: `${chunk}` } };
        const record = await disk.putObject("b", key, blob, about);
        expect(record).toMatchObject({
          key,
          size,
          etag: md5(bytes),
          versionId: "null",
          isLatest: true,
        });
        expect(await disk.headObject("b", key)).toEqual(record);
        expect((await read(disk, key)).equals(bytes)).toBe(true);
        if (size > 2) {
          const opened = await disk.openObject("b", key);
          const middle = await readAll(opened.read(1, size - 2));
          expect(middle.equals(bytes.subarray(1, size - 1))).toBe(true);
        }
      }
    }
  });

  it("keep all their headers and metadata", async () => {
    const { disk, directory } = await freshDisk();
    const about = {
      headers: { "content-type": "text/plain; charset=utf-8" },
      metadata: { name: "gr\u00fc\u00df \u{1f600}\n" },
      storageClass: "GLACIER",
      tags: { "a b": "c=d&" },
      etag: md5("x"),
      checksum: { algorithm: "CRC32", value: "AAAAAA==", type: "FULL_OBJECT" } as const,
    };
    await disk.putObject("b", "k", await disk.stage(chunksOf(Buffer.from("x"))), about);
    expect(await openDisk(directory).headObject("b", "k")).toMatchObject(about);
    const tagged = await disk.updateObject("b", "k", undefined, { tags: { new: "tags" } });
    expect(tagged).toMatchObject({ ...about, tags: { new: "tags" } });
    expect(await disk.headObject("b", "k")).toEqual(tagged);
    expect(await readText(disk, "k")).toBe("x");
  });

  it("leave nothing behind when they are replaced or deleted", async () => {
    const { disk, directory } = await freshDisk();
    const before = await filesUnder(directory);
    for (const body of ["small", randomBytes(200_000), "small again", randomBytes(300_000)]) {
      await put(disk, "deep/er/key", body);
    }
    await disk.deleteObject("b", "deep/er/key");
    await disk.deleteObject("b", "deep/er/key");
    await expect.poll(() => filesUnder(directory)).toEqual(before);
  });

  it("leave nothing behind when writing fails half-way", async () => {
    const { disk, directory } = await freshDisk();
    const before = await filesUnder(directory);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield randomBytes(2_000_000);
      throw new Error("the line went dead");
    }
    await expect(disk.stage(broken())).rejects.toThrow("the line went dead");
    const discarded = await disk.stage(chunksOf(randomBytes(2_000_000)));
    await discarded.discard();
    await expect.poll(() => filesUnder(directory)).toEqual(before);
  });

  it("stay readable while they are replaced and deleted", async () => {
    const { disk, directory } = await freshDisk();
    const other = openDisk(directory);
    for (const size of [10, 1_000_000]) {
      const bytes = randomBytes(size);
      await put(disk, "k", bytes);
      const opened = await disk.openObject("b", "k");
      await put(other, "k", "something else");
      await other.deleteObject("b", "k");
      expect((await readAll(opened.read(0, size - 1))).equals(bytes)).toBe(true);
    }
  });

  it("are private to their owner", async () => {
    const { disk, directory } = await freshDisk();
    await put(disk, "k", randomBytes(100_000));
    for (const [path, kind] of await filesUnder(directory, true)) {
      const { mode } = await stat(join(directory, path));
      expect([path, (mode & 0o777).toString(8)]).toEqual([
        path,
        kind === "directory" ? "700" : "600",
      ]);
    }
  });

  it("are refused without a bucket, with too long a key, and when the key is missing", async () => {
    const { disk } = await freshDisk();
    const blob = await disk.stage(chunksOf(Buffer.from("x")));
    const about = { ...ABOUT, etag: "e" };
    await expect(disk.putObject("nope", "k", blob, about)).rejects.toMatchObject({
      code: "NoSuchBucket",
    });
    await expect(disk.putObject("b", "é".repeat(513), blob, about)).rejects.toMatchObject({
      code: "KeyTooLongError",
    });
    await disk.putObject("b", "é".repeat(512), blob, about);
    expect(await readText(disk, "é".repeat(512))).toBe("x");
    await expect(disk.headObject("b", "é".repeat(2000))).rejects.toMatchObject({
      code: "NoSuchKey",
    });
    await expect(disk.openObject("b", "k")).rejects.toMatchObject({ code: "NoSuchKey" });
    await expect(disk.openObject("nope", "k")).rejects.toMatchObject({ code: "NoSuchBucket" });
    await expect(disk.updateObject("b", "k", undefined, { tags: {} })).rejects.toMatchObject({
      code: "NoSuchKey",
    });
    expect(await disk.deleteObject("b", "k")).toEqual({ deleteMarker: false });
  });

  it("obey preconditions at the moment of commit", async () => {
    const { disk } = await freshDisk();
    const failed = { code: "PreconditionFailed", status: 412 };
    await expect(put(disk, "k", "1", { ifMatch: ["*"] })).rejects.toMatchObject({
      code: "NoSuchKey",
    });
    const { etag } = await put(disk, "k", "1", { ifNoneMatch: ["*"] });
    await expect(put(disk, "k", "2", { ifNoneMatch: ["*"] })).rejects.toMatchObject(failed);
    await expect(put(disk, "k", "2", { ifNoneMatch: [etag] })).rejects.toMatchObject(failed);
    await expect(put(disk, "k", "2", { ifMatch: [md5("2")] })).rejects.toMatchObject(failed);
    expect(await readText(disk, "k")).toBe("1");
    await put(disk, "k", "2", { ifMatch: ["other", etag] });
    await expect(disk.deleteObject("b", "k", undefined, { ifMatch: [etag] })).rejects.toMatchObject(
      failed,
    );
    await disk.deleteObject("b", "k", undefined, { ifMatch: [md5("2")] });
    expect(await disk.deleteObject("b", "k", undefined, { ifMatch: [etag] })).toEqual({
      deleteMarker: false,
    });
  });

  it("have exactly one winner among writers who ask for a key that must not exist", async () => {
    const { disk, directory } = await freshDisk();
    const disks = [disk, openDisk(directory), openDisk(directory)];
    for (let round = 0; round < 10; round += 1) {
      const tries = Array.from({ length: 12 }, (_, index) =>
        put(disks[index % 3]!, `k${round}`, `writer ${index}`, { ifNoneMatch: ["*"] }),
      );
      const results = await Promise.allSettled(tries);
      const winners = results.flatMap((result, index) =>
        result.status === "fulfilled" ? [index] : [],
      );
      expect(winners).toHaveLength(1);
      expect(await readText(disk, `k${round}`)).toBe(`writer ${winners[0]}`);
    }
  });

  it("are never lost to the removal of empty directories while keys come and go beside them", async () => {
    const { disk, directory } = await freshDisk();
    const other = openDisk(directory);
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const by = index % 2 === 0 ? disk : other;
        const key = `a/b/c/${index % 5}/${index}`;
        await put(by, key, key);
        expect(await readText(disk, key)).toBe(key);
        await by.deleteObject("b", key);
      }),
    );
    expect(await readdir(join(directory, "buckets/b+/objects"))).toEqual([]);
  });

  it("are copied by sharing their bytes, and independent from then on", async () => {
    const { disk, directory } = await freshDisk();
    for (const size of [100, 500_000]) {
      const bytes = randomBytes(size);
      await put(disk, "from", bytes);
      const source = await disk.openObject("b", "from");
      const blob = await disk.stageCopy(source);
      await source.close();
      await disk.putObject("b", "to", blob, { ...ABOUT, etag: md5(bytes) });
      const blobs = (await filesUnder(directory)).filter(
        ([path, kind]) => kind === "file" && path.startsWith("blobs"),
      );
      expect(blobs).toHaveLength(size === 100 ? 0 : 2);
      for (const [path] of blobs) expect((await stat(join(directory, path))).nlink).toBe(2);
      const again = await disk.openObject("b", "from");
      const part = await disk.stageCopy(again, { start: 10, end: 59 });
      await disk.putObject("b", "part", part, { ...ABOUT, etag: "part" });
      await disk.deleteObject("b", "from");
      expect((await read(disk, "to")).equals(bytes)).toBe(true);
      expect((await read(disk, "part")).equals(bytes.subarray(10, 60))).toBe(true);
    }
  });
});

describe("a store directory", () => {
  it("of a newer format is refused in clear words and left alone", async () => {
    const directory = await freshDirectory();
    const marker = join(directory, "pail-store.json");
    await openDisk(directory).listBuckets();
    expect(JSON.parse(await readFile(marker, "utf8"))).toEqual({ format: 2 });
    await writeFile(marker, '{"format":3}');
    await expect(openDisk(directory).listBuckets()).rejects.toThrow(/newer pail \(format 3/);
    await writeFile(marker, "nonsense");
    await expect(openDisk(directory).listBuckets()).rejects.toThrow(/does not say/);
  });

  it("is made when first used, with every directory above it", async () => {
    const directory = join(await freshDirectory(), "not", "yet");
    const disk = openDisk(directory);
    await expect(stat(directory)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await disk.listBuckets()).toEqual([]);
  });
});
