/**
 * Changes of one key, `deep/k`, that tests cut off or disturb anywhere, and the allowed results.
 */
import { expect } from "vitest";
import type { Backend } from "../../../../src/store/disk/index.js";
import { filesUnder } from "./left-over.js";
import { ABOUT, chunksOf, md5, put, read } from "./support.js";

export const SMALL = Buffer.from("small");
export const LARGE = Buffer.alloc(150_000, "large ");
export const OTHER = Buffer.alloc(100_000, "other ");

interface Scenario {
  /** Prepares the key before the work. */
  readonly before?: (disk: Backend) => Promise<void>;
  readonly work: (disk: Backend, prepared: string) => Promise<unknown>;
  readonly prepare?: (disk: Backend) => Promise<string>;
  /** The bodies that the key may have afterwards; undefined for no object. */
  readonly outcomes: readonly (Buffer | undefined)[];
}

export async function upload(disk: Backend): Promise<string> {
  const { uploadId } = await disk.createUpload("b", "deep/k", ABOUT);
  for (const [index, body] of [LARGE, OTHER].entries()) {
    const blob = await disk.stage(chunksOf(body));
    await disk.putPart("b", "deep/k", uploadId, blob, { number: index + 1, etag: md5(body) });
  }
  return uploadId;
}

export async function complete(disk: Backend, uploadId: string): Promise<void> {
  const parts = await disk.listParts("b", "deep/k", uploadId);
  const etag = md5(Buffer.concat([LARGE, OTHER]));
  await disk.completeUpload("b", "deep/k", uploadId, parts, { etag });
}

export const has =
  (body: Buffer) =>
  async (disk: Backend): Promise<void> => {
    await put(disk, "deep/k", body);
  };

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "putting a small object": {
    work: (disk) => put(disk, "deep/k", SMALL),
    outcomes: [undefined, SMALL],
  },
  "putting a large object over a large one": {
    before: has(OTHER),
    work: (disk) => put(disk, "deep/k", LARGE),
    outcomes: [OTHER, LARGE],
  },
  "putting a small object over a large one": {
    before: has(LARGE),
    work: (disk) => put(disk, "deep/k", SMALL),
    outcomes: [LARGE, SMALL],
  },
  "deleting a large object": {
    before: has(LARGE),
    work: (disk) => disk.deleteObject("b", "deep/k"),
    outcomes: [LARGE, undefined],
  },
  "completing an upload over a large object": {
    before: has(LARGE),
    prepare: upload,
    work: complete,
    outcomes: [LARGE, Buffer.concat([LARGE, OTHER])],
  },
  "deleting an object of several parts": {
    before: async (disk) => complete(disk, await upload(disk)),
    work: (disk) => disk.deleteObject("b", "deep/k"),
    outcomes: [Buffer.concat([LARGE, OTHER]), undefined],
  },
  "uploading a part and aborting": {
    before: has(SMALL),
    prepare: upload,
    work: async (disk, uploadId) => {
      const blob = await disk.stage(chunksOf(OTHER));
      await disk.putPart("b", "deep/k", uploadId, blob, { number: 1, etag: md5(OTHER) });
      await disk.abortUpload("b", "deep/k", uploadId);
    },
    outcomes: [SMALL],
  },
};

export async function bodyOf(disk: Backend): Promise<Buffer | undefined> {
  const listed = await disk.listObjects("b", { prefix: "", delimiter: "", limit: 10 });
  if (listed.entries.length === 0) {
    await expect(disk.openObject("b", "deep/k")).rejects.toMatchObject({ code: "NoSuchKey" });
    return undefined;
  }
  const body = await read(disk, "deep/k");
  const head = await disk.headObject("b", "deep/k");
  expect(listed.entries).toEqual([{ ...head, parts: undefined }]);
  expect([head.etag, head.size]).toEqual([md5(body), body.length]);
  return body;
}

const SWEPT = /^(blobs|tmp|intents|held).|objects.+=$/;

export async function leftIn(directory: string): Promise<string[]> {
  return (await filesUnder(directory)).map(([path]) => path).filter((path) => SWEPT.test(path));
}

export async function clear(disk: Backend): Promise<void> {
  await disk.deleteObject("b", "deep/k");
  for (const { uploadId } of await disk.listUploads("b", "")) {
    await disk.abortUpload("b", "deep/k", uploadId);
  }
}

export function same(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}
