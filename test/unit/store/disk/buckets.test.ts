import { readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDisk } from "../../../../src/store/disk/index.js";
import { ABOUT, freshDirectory, freshDisk, put, readText } from "./support.js";

describe("buckets on disk", () => {
  it("are made once, listed by name, and change for every process at once", async () => {
    const { disk, directory } = await freshDisk();
    const other = openDisk(directory);
    await other.createBucket("a.1", "eu-north-1");
    await expect(disk.createBucket("a.1", "us-east-1")).rejects.toMatchObject({
      code: "BucketAlreadyOwnedByYou",
      status: 409,
    });
    expect((await disk.listBuckets()).map(({ name }) => name)).toEqual(["a.1", "b"]);
    await disk.updateBucket("a.1", { versioning: "Enabled" });
    await disk.updateBucket("a.1", { tags: { a: "b" } });
    expect(await other.getBucket("a.1")).toMatchObject({
      name: "a.1",
      region: "eu-north-1",
      versioning: "Enabled",
      tags: { a: "b" },
    });
    expect((await other.getBucket("a.1")).created).toBeInstanceOf(Date);
  });

  it("that are not there are NoSuchBucket to everything, whatever the name", async () => {
    const disk = openDisk(await freshDirectory());
    for (const name of ["nope", "..", "", "x".repeat(1000), "a/b"]) {
      const missing = { code: "NoSuchBucket", status: 404 };
      await expect(disk.getBucket(name)).rejects.toMatchObject(missing);
      await expect(disk.deleteBucket(name)).rejects.toMatchObject(missing);
      await expect(disk.updateBucket(name, { tags: {} })).rejects.toMatchObject(missing);
      await expect(disk.deleteObject(name, "k")).rejects.toMatchObject(missing);
      await expect(disk.listUploads(name, "")).rejects.toMatchObject(missing);
      await expect(disk.createUpload(name, "k", ABOUT)).rejects.toMatchObject(missing);
    }
  });

  it("are removed only while they are empty: no object, version or marker", async () => {
    const { disk } = await freshDisk("Enabled");
    const notEmpty = { code: "BucketNotEmpty", status: 409 };
    const { versionId } = await put(disk, "deep/k", "x");
    await expect(disk.deleteBucket("b")).rejects.toMatchObject(notEmpty);
    const marker = await disk.deleteObject("b", "deep/k");
    await disk.deleteObject("b", "deep/k", versionId);
    await expect(disk.deleteBucket("b")).rejects.toMatchObject(notEmpty);
    await disk.deleteObject("b", "deep/k", marker.versionId);
    await disk.deleteBucket("b");
    expect(await disk.listBuckets()).toEqual([]);
    await disk.createBucket("b", "us-east-1");
    expect((await disk.getBucket("b")).versioning).toBeUndefined();
  });

  it("are removed with their unfinished uploads, even if one is completed too late", async () => {
    const { disk, directory } = await freshDisk();
    const { uploadId } = await disk.createUpload("b", "k", ABOUT);
    const part = await disk.putPart("b", "k", uploadId, await disk.stage(one()), {
      number: 1,
      etag: "e",
    });
    await disk.deleteBucket("b");
    expect(readdirSync(join(directory, "buckets"))).toEqual([]);
    const late = disk.completeUpload("b", "k", uploadId, [part], { etag: "e-1" });
    await expect(late).rejects.toMatchObject({ code: "NoSuchBucket" });
    await disk.createBucket("b", "us-east-1");
    expect(await disk.listUploads("b", "")).toEqual([]);
  });

  it("are never removed with an upload that was completed meanwhile", async () => {
    const { disk, directory } = await freshDisk();
    const other = openDisk(directory);
    for (let round = 0; round < 20; round += 1) {
      const bucket = `race-${round}`;
      await disk.createBucket(bucket, "us-east-1");
      const { uploadId } = await disk.createUpload(bucket, "a/b", ABOUT);
      const part = await disk.putPart(bucket, "a/b", uploadId, await disk.stage(one()), {
        number: 1,
        etag: "e",
      });
      const [removed, completed] = await Promise.allSettled([
        disk.deleteBucket(bucket),
        other.completeUpload(bucket, "a/b", uploadId, [part], { etag: "e-1" }),
      ]);
      expect([removed.status, completed.status].sort()).toEqual(["fulfilled", "rejected"]);
      if (completed.status === "fulfilled") {
        expect(await disk.headObject(bucket, "a/b")).toMatchObject({ size: 1 });
      }
    }
  });

  it("are removed along with the empty directories of a killed writer", async () => {
    const { disk, directory } = await freshDisk();
    await mkdir(join(directory, "buckets/b+/objects/a+/b+"), { recursive: true });
    await disk.deleteBucket("b");
    expect(await disk.listBuckets()).toEqual([]);
  });

  it("still work when a deletion was cut off in the middle", async () => {
    const { disk, directory } = await freshDisk();
    await rm(join(directory, "buckets/b+/objects"), { recursive: true });
    await rm(join(directory, "buckets/b+/uploads"), { recursive: true });
    const page = await disk.listObjects("b", { prefix: "", delimiter: "", limit: 10 });
    expect(page.entries).toEqual([]);
    await put(disk, "k", "x");
    await disk.createUpload("b", "k", ABOUT);
    expect(await readText(disk, "k")).toBe("x");
    await openDisk(directory).createBucket("c", "us-east-1");
    await rm(join(directory, "buckets/c+/bucket.json"));
    await rm(join(directory, "buckets/c+/objects"), { recursive: true });
    await mkdir(join(directory, "buckets/c+/uploads/left"));
    await disk.createBucket("c", "us-east-1");
    expect(await disk.getBucket("c")).toMatchObject({ name: "c" });
  });

  it("are never removed with an object that was acknowledged meanwhile", async () => {
    const { disk, directory } = await freshDisk();
    const other = openDisk(directory);
    for (let round = 0; round < 20; round += 1) {
      const bucket = `race-${round}`;
      await disk.createBucket(bucket, "us-east-1");
      const [removed, written] = await Promise.allSettled([
        disk.deleteBucket(bucket),
        other
          .stage(one())
          .then((blob) => other.putObject(bucket, "a/b", blob, { ...ABOUT, etag: "e" })),
      ]);
      expect([removed.status, written.status].sort()).toEqual(["fulfilled", "rejected"]);
      const stands = (await disk.listBuckets()).some(({ name }) => name === bucket);
      expect(stands).toBe(written.status === "fulfilled");
      if (stands) expect(await disk.headObject(bucket, "a/b")).toMatchObject({ size: 1 });
    }
  });
});

async function* one(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("x");
}
