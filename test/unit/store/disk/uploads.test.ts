import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { PartRecord } from "../../../../src/store/records.js";
import type { Backend } from "../../../../src/store/disk/index.js";
import { openDisk } from "../../../../src/store/disk/index.js";
import { filesUnder } from "./left-over.js";
import { ABOUT, chunksOf, freshDisk, md5, put, read, readAll, readText } from "./support.js";

async function putPart(
  disk: Backend,
  uploadId: string,
  number: number,
  bytes: Uint8Array,
): Promise<PartRecord> {
  const blob = await disk.stage(chunksOf(bytes));
  return disk.putPart("b", "k", uploadId, blob, { number, etag: md5(bytes) });
}

/** An upload of three parts, the last one small, and the bytes they make. */
async function prepared(
  disk: Backend,
): Promise<{ uploadId: string; parts: PartRecord[]; bytes: Buffer }> {
  const { uploadId } = await disk.createUpload("b", "k", { ...ABOUT, tags: { of: "upload" } });
  const bodies = [randomBytes(300_000), randomBytes(100_000), randomBytes(10)];
  const parts: PartRecord[] = [];
  for (const [index, body] of bodies.entries()) {
    parts.push(await putPart(disk, uploadId, index * 5 + 1, body));
  }
  return { uploadId, parts, bytes: Buffer.concat(bodies) };
}

const RESULT = { etag: "whole-3" };

describe("multipart uploads on disk", () => {
  it("become one object of their parts, without copying a byte", async () => {
    const { disk, directory } = await freshDisk();
    const { uploadId, parts, bytes } = await prepared(disk);
    expect(await disk.listParts("b", "k", uploadId)).toEqual(parts);
    const record = await disk.completeUpload("b", "k", uploadId, parts, RESULT);
    expect(record).toMatchObject({ ...RESULT, size: bytes.length, tags: { of: "upload" } });
    expect(record.parts).toEqual(parts);
    expect(await openDisk(directory).headObject("b", "k")).toEqual(record);
    expect((await read(disk, "k")).equals(bytes)).toBe(true);
    for (const [start, end] of [
      [0, 0],
      [299_999, 300_000],
      [399_999, 400_009],
      [5, 400_005],
    ] as const) {
      const opened = await disk.openObject("b", "k");
      expect(opened.record.parts).toEqual(parts);
      const slice = await readAll(opened.read(start, end));
      expect(slice.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
    expect(await disk.listUploads("b", "")).toEqual([]);
    await expect(disk.getUpload("b", "k", uploadId)).rejects.toMatchObject({
      code: "NoSuchUpload",
    });
  });

  it("completed twice with the same parts are one object, with other parts an error", async () => {
    const { disk } = await freshDisk("Enabled");
    const { uploadId, parts } = await prepared(disk);
    const first = await disk.completeUpload("b", "k", uploadId, parts, RESULT);
    expect(await disk.completeUpload("b", "k", uploadId, parts, RESULT)).toEqual(first);
    await expect(
      disk.completeUpload("b", "k", uploadId, parts.slice(1), RESULT),
    ).rejects.toMatchObject({ code: "NoSuchUpload" });
    const { entries } = await disk.listVersions("b", { prefix: "", delimiter: "", limit: 10 });
    expect(entries).toHaveLength(1);
  });

  it("use the last of several parts of one number, and refuse one that was replaced", async () => {
    const { disk } = await freshDisk();
    const { uploadId, parts } = await prepared(disk);
    const again = await putPart(disk, uploadId, 1, Buffer.from("replaced"));
    expect((await disk.listParts("b", "k", uploadId))[0]).toEqual(again);
    await expect(disk.completeUpload("b", "k", uploadId, parts, RESULT)).rejects.toMatchObject({
      code: "InvalidPart",
    });
    await disk.completeUpload("b", "k", uploadId, [again], RESULT);
    expect(await readText(disk, "k")).toBe("replaced");
  });

  it("leave nothing behind when aborted, or when the object is deleted", async () => {
    const { disk, directory } = await freshDisk();
    const before = await filesUnder(directory);
    const aborted = await prepared(disk);
    await disk.abortUpload("b", "k", aborted.uploadId);
    await expect(disk.abortUpload("b", "k", aborted.uploadId)).rejects.toMatchObject({
      code: "NoSuchUpload",
    });
    await expect(putPart(disk, aborted.uploadId, 1, Buffer.from("late"))).rejects.toMatchObject({
      code: "NoSuchUpload",
    });
    await expect.poll(() => filesUnder(directory)).toEqual(before);
    const { uploadId, parts } = await prepared(disk);
    await disk.completeUpload("b", "k", uploadId, parts.slice(0, 2), RESULT);
    await disk.deleteObject("b", "k");
    await expect.poll(() => filesUnder(directory)).toEqual(before);
  });

  it("obey preconditions, and stay when one does not hold", async () => {
    const { disk } = await freshDisk();
    const { uploadId, parts, bytes } = await prepared(disk);
    await put(disk, "k", "in the way");
    await expect(
      disk.completeUpload("b", "k", uploadId, parts, RESULT, { ifNoneMatch: ["*"] }),
    ).rejects.toMatchObject({ code: "PreconditionFailed" });
    expect(await readText(disk, "k")).toBe("in the way");
    await disk.completeUpload("b", "k", uploadId, parts, RESULT, { ifMatch: [md5("in the way")] });
    expect((await read(disk, "k")).equals(bytes)).toBe(true);
  });

  it("end as an object or as nothing when completed and aborted at once", async () => {
    const { disk, directory } = await freshDisk();
    const other = openDisk(directory);
    for (let round = 0; round < 10; round += 1) {
      const { uploadId, parts, bytes } = await prepared(disk);
      const [completed, aborted] = await Promise.allSettled([
        disk.completeUpload("b", "k", uploadId, parts, RESULT),
        other.abortUpload("b", "k", uploadId),
      ]);
      expect([completed.status, aborted.status].sort()).toEqual(["fulfilled", "rejected"]);
      if (completed.status === "fulfilled") {
        expect((await read(disk, "k")).equals(bytes)).toBe(true);
        await disk.deleteObject("b", "k");
      } else {
        await expect(disk.headObject("b", "k")).rejects.toMatchObject({ code: "NoSuchKey" });
      }
      expect(await disk.listUploads("b", "")).toEqual([]);
    }
  });

  it("stay readable as objects while they are replaced, and are removed when reading ends", async () => {
    const { disk, directory } = await freshDisk();
    const before = await filesUnder(directory);
    const other = openDisk(directory);
    const { uploadId, parts, bytes } = await prepared(disk);
    await disk.completeUpload("b", "k", uploadId, parts, RESULT);
    const [one, two] = [await disk.openObject("b", "k"), await other.openObject("b", "k")];
    await other.deleteObject("b", "k");
    await expect(disk.openObject("b", "k")).rejects.toMatchObject({ code: "NoSuchKey" });
    expect((await readAll(one.read(0, bytes.length - 1))).equals(bytes)).toBe(true);
    expect((await readAll(two.read(0, bytes.length - 1))).equals(bytes)).toBe(true);
    const isOurs = ([path]: readonly [string, string]): boolean => !path.startsWith("owners");
    const now = async () => (await filesUnder(directory)).filter(isOurs);
    await expect.poll(now).toEqual(before.filter(isOurs));
  });

  it("are copied by sharing their parts' bytes", async () => {
    const { disk } = await freshDisk();
    const { uploadId, parts, bytes } = await prepared(disk);
    await disk.completeUpload("b", "k", uploadId, parts, RESULT);
    const source = await disk.openObject("b", "k");
    const blob = await disk.stageCopy(source);
    const part = await disk.stageCopy(source);
    await source.close();
    const copy = await disk.putObject("b", "copy", blob, { ...ABOUT, etag: "copy" });
    expect(copy.parts).toBeUndefined();
    const upload = await disk.createUpload("b", "k", ABOUT);
    const copied = await disk.putPart("b", "k", upload.uploadId, part, { number: 1, etag: "p" });
    await disk.deleteObject("b", "k");
    expect((await read(disk, "copy")).equals(bytes)).toBe(true);
    await disk.completeUpload("b", "k", upload.uploadId, [copied], RESULT);
    expect((await read(disk, "k")).equals(bytes)).toBe(true);
  });

  it("are listed by key in UTF-8 order and then by time, and found only under their own key", async () => {
    const { disk } = await freshDisk();
    const made = [];
    for (const key of ["\u{10000}", "\uffff", "a", "a", "ab", "B"]) {
      made.push(await disk.createUpload("b", key, ABOUT));
    }
    const listed = await disk.listUploads("b", "");
    expect(listed.map(({ key }) => key)).toEqual(["B", "a", "a", "ab", "\uffff", "\u{10000}"]);
    expect(listed[1]!.initiated.getTime()).toBeLessThanOrEqual(listed[2]!.initiated.getTime());
    expect((await disk.listUploads("b", "a")).map(({ key }) => key)).toEqual(["a", "a", "ab"]);
    expect(await disk.getUpload("b", "B", made[5]!.uploadId)).toEqual(made[5]);
    for (const id of [made[0]!.uploadId, "../../bucket.json", "", "x".repeat(32)]) {
      await expect(disk.getUpload("b", "B", id)).rejects.toMatchObject({ code: "NoSuchUpload" });
    }
  });
});
