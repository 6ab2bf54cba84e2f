/** The abilities of a bucket on an S3 service beyond objects, as one set of cases. */
import { randomBytes } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { PartEntry, UploadEntry } from "../../src/core/storage/s3-types.js";
import type { ObjectEntry, RemoveTarget } from "../../src/core/storage/storage.js";
import { createChecksum } from "../../src/protocol/checksum.js";
import type { BucketPlace } from "./bucket-place.js";
import { HOSTILE } from "./keys.js";
import { type ContractOptions, type Lack, bytesOf, isLacked, keys, listed } from "./storage.js";

const MIB = 1024 * 1024;

export interface BucketContractOptions extends ContractOptions {
  /** Whether any HTTP client can reach the endpoint: presigned URLs are then tried. */
  readonly reachable?: boolean | undefined;
}

/** Declares the cases. */
export function bucketContract(
  name: string,
  open: () => Promise<BucketPlace>,
  { lacks = [], reachable = false }: BucketContractOptions = {},
): void {
  const unless = (...all: Lack[]) => it.skipIf(all.some((lack) => lacks.includes(lack)));

  describe(`${name} as a bucket`, () => {
    let place: BucketPlace;
    beforeEach(async () => {
      place = await open();
    });
    afterEach(() => place.close());

    describe("metadata", () => {
      it("travels with an object", async () => {
        const { storage } = place;
        const headers = {
          contentType: "text/html; charset=utf-8",
          cacheControl: "max-age=60, public",
          contentDisposition: 'attachment; filename="a b.html"',
          contentEncoding: "gzip",
          contentLanguage: "de, en",
          metadata: { author: "someone", "with-dash": "a  b", "x.y": "1=2&3" },
        };
        await storage.write("key", Buffer.from("<p>"), headers);
        expect(await storage.stat("key")).toMatchObject(headers);
        const { info, body } = await storage.read("key");
        for await (const _ of body);
        expect(info).toMatchObject(headers);
      });

      it("may be outside ASCII", async () => {
        const { storage } = place;
        const metadata = { title: "Gr\u00fc\u00dfe \u{1f600} \u4e16\u754c", plain: "yes" };
        await storage.write("key", Buffer.from("x"), { metadata });
        expect((await storage.stat("key")).metadata).toEqual(metadata);
      });

      unless("checksums")("tells the checksum it was given", async () => {
        const { storage } = place;
        const computed = createChecksum("CRC32");
        computed.update(Buffer.from("x"));
        const value = computed.digest().toString("base64");
        await storage.write("key", Buffer.from("x"), { checksum: { algorithm: "CRC32", value } });
        expect((await storage.stat("key")).checksums).toMatchObject({ CRC32: value });
      });
    });

    describe("copies", () => {
      const sources = [...HOSTILE, "a//b", "trailing/"].filter((key) => !isLacked(key, lacks));
      it.each(sources)("from %j", async (key) => {
        const { storage } = place;
        const { bucket } = storage;
        await storage.write(key, Buffer.from("bytes"), { contentType: "text/plain" });
        const { etag } = await storage.copyFrom("the copy", { bucket, key });
        const info = await storage.stat("the copy");
        expect(info).toMatchObject({ size: 5, contentType: "text/plain", etag });
        expect((await bytesOf(storage, "the copy")).toString()).toBe("bytes");
      });

      it("replace the headers when asked to", async () => {
        const { storage } = place;
        const { bucket } = storage;
        await storage.write("key", Buffer.from("x"), { metadata: { old: "1" } });
        await storage.copyFrom("kept", { bucket, key: "key" });
        await storage.copyFrom(
          "key",
          { bucket, key: "key" },
          { metadataDirective: "REPLACE", contentType: "text/css", metadata: { new: "2" } },
        );
        expect((await storage.stat("kept")).metadata).toEqual({ old: "1" });
        const replaced = await storage.stat("key");
        expect(replaced.metadata).toEqual({ new: "2" });
        expect(replaced.contentType).toBe("text/css");
      });

      it("need a source", async () => {
        const { storage } = place;
        const missing = storage.copyFrom("copy", { bucket: storage.bucket, key: "missing" });
        await expect(missing).rejects.toMatchObject({ kind: "not-found", code: "NoSuchKey" });
        expect(await keys(storage)).toEqual([]);
      });

      unless("conditional copies")("need the source that was meant", async () => {
        const { storage } = place;
        const { bucket } = storage;
        await storage.write("key", Buffer.from("x"));
        const other = storage.copyFrom("copy", { bucket, key: "key", ifMatch: "0".repeat(32) });
        await expect(other).rejects.toMatchObject({ kind: "conflict", code: "PreconditionFailed" });
        expect(await keys(storage)).toEqual(["key"]);
      });
    });

    describe("multipart uploads", () => {
      const parts = async (key: string, uploadId: string): Promise<PartEntry[]> => {
        const all: PartEntry[] = [];
        for await (const page of place.storage.listParts(key, uploadId)) all.push(...page);
        return all;
      };
      const uploads = async (prefix?: string): Promise<UploadEntry[]> => {
        const all: UploadEntry[] = [];
        for await (const page of place.storage.listUploads(prefix ? { prefix } : {})) {
          all.push(...page);
        }
        return all;
      };

      it("make one object of their parts", async () => {
        const { storage } = place;
        const key = "dir/big file+.bin";
        const bytes = randomBytes(5 * MIB + 123);
        const headers = { contentType: "video/mp4", metadata: { a: "b" } };
        const uploadId = await storage.createUpload(key, headers);
        const first = bytes.subarray(0, 5 * MIB);
        const made = [
          await storage.uploadPart(key, uploadId, 2, bytes.subarray(5 * MIB)),
          await storage.uploadPart(key, uploadId, 1, first),
        ].toReversed();
        expect(made.map(({ partNumber, size }) => [partNumber, size])).toEqual([
          [1, 5 * MIB],
          [2, 123],
        ]);
        expect(await keys(storage)).toEqual([]);
        expect(await uploads()).toMatchObject([{ key, uploadId }]);
        const found = await parts(key, uploadId);
        expect(found.map(({ partNumber, size, etag }) => [partNumber, size, etag])).toEqual(
          made.map(({ partNumber, size, etag }) => [partNumber, size, etag]),
        );
        const { etag } = await storage.completeUpload(key, uploadId, found);
        expect(etag).toMatch(/-2$/);
        expect(await storage.stat(key)).toMatchObject({ size: bytes.length, etag, ...headers });
        expect((await bytesOf(storage, key)).equals(bytes)).toBe(true);
        expect(await uploads()).toEqual([]);
      });

      it("may take parts from other objects", async () => {
        const { storage } = place;
        const bytes = randomBytes(6 * MIB);
        await storage.write("source +\u00fc", bytes);
        const uploadId = await storage.createUpload("target");
        const source = { bucket: storage.bucket, key: "source +\u00fc" };
        const range = { start: 100, end: 5 * MIB + 99 };
        const first = await storage.uploadPartCopy("target", uploadId, 1, source, range);
        const second = await storage.uploadPart("target", uploadId, 2, Buffer.from("end"));
        expect(first.size).toBe(5 * MIB);
        await storage.completeUpload("target", uploadId, [first, second]);
        const expected = Buffer.concat([bytes.subarray(100, 5 * MIB + 100), Buffer.from("end")]);
        expect((await bytesOf(storage, "target")).equals(expected)).toBe(true);
      });

      it("leave nothing when they are aborted, once or twice", async () => {
        const { storage } = place;
        const uploadId = await storage.createUpload("key");
        await storage.uploadPart("key", uploadId, 1, Buffer.from("part"));
        await storage.abortUpload("key", uploadId);
        await storage.abortUpload("key", uploadId);
        expect(await uploads()).toEqual([]);
        const completing = storage.completeUpload("key", uploadId, [
          { partNumber: 1, etag: "0".repeat(32) },
        ]);
        await expect(completing).rejects.toThrow();
        expect(await keys(storage)).toEqual([]);
      });

      unless("upload listings")("are listed by prefix, with their exact keys", async () => {
        const { storage } = place;
        for (const key of ["a b/c+d%2F", "a b/\u00fc\u{1f600}", "other"]) {
          await storage.createUpload(key);
        }
        const found = (await uploads("a b/")).map(({ key }) => key);
        expect(found.toSorted()).toEqual(["a b/c+d%2F", "a b/\u00fc\u{1f600}"]);
      });

      it("refuse parts that were not uploaded", async () => {
        const { storage } = place;
        const uploadId = await storage.createUpload("key");
        const wrong = [{ partNumber: 1, etag: "0".repeat(32) }];
        const completing = storage.completeUpload("key", uploadId, wrong);
        await expect(completing).rejects.toMatchObject({ code: "InvalidPart" });
        expect(await keys(storage)).toEqual([]);
      });
    });

    describe("tags", () => {
      const tags = { project: "pail & <co>", "a+b c": "\u00fc=%20/", empty: "" };

      unless("tags")("are set, replaced and taken off", async () => {
        const { storage } = place;
        await storage.write("a key+", Buffer.from("x"));
        expect(await storage.getTags("a key+")).toEqual({});
        await storage.setTags("a key+", { one: "1", two: "2" });
        await storage.setTags("a key+", { project: "pail", a: "b c" });
        expect(await storage.getTags("a key+")).toEqual({ project: "pail", a: "b c" });
        await storage.setTags("a key+", {});
        expect(await storage.getTags("a key+")).toEqual({});
      });

      unless("tags")("may come with a write", async () => {
        const { storage } = place;
        const legal = { project: "pail", "a+b c": "x=y/z" };
        await storage.write("key", Buffer.from("x"), { tags: legal });
        expect(await storage.getTags("key")).toEqual(legal);
      });

      unless("tags")("belong to buckets too", async () => {
        const { service, storage } = place;
        expect(await service.getTags(storage.bucket)).toEqual({});
        await service.setTags(storage.bucket, { team: "a b" });
        expect(await service.getTags(storage.bucket)).toEqual({ team: "a b" });
        await service.setTags(storage.bucket, {});
        expect(await service.getTags(storage.bucket)).toEqual({});
      });

      unless("tags")("survive XML's special characters or are refused", async () => {
        const { storage } = place;
        await storage.write("key", Buffer.from("x"));
        try {
          await storage.setTags("key", tags);
        } catch (error) {
          expect(error).toMatchObject({ code: "InvalidTag" });
          return;
        }
        expect(await storage.getTags("key")).toEqual(tags);
      });
    });

    describe("versions", () => {
      unless("versions")("are kept, listed newest first, read and removed one by one", async () => {
        const { service, storage } = place;
        expect(await service.getVersioning(storage.bucket)).toBeUndefined();
        await service.setVersioning(storage.bucket, "Enabled");
        expect(await service.getVersioning(storage.bucket)).toBe("Enabled");
        const one = await storage.write("k\u00fc y", Buffer.from("one"));
        const two = await storage.write("k\u00fc y", Buffer.from("second"));
        expect(one.versionId).toBeDefined();
        expect(two.versionId).not.toBe(one.versionId);
        await storage.remove([{ key: "k\u00fc y" }]);
        await storage.write("z", Buffer.from("z"));

        expect(await keys(storage)).toEqual(["z"]);
        const [marker, newer, older, z] = (await listed(storage, {
          versions: true,
        })) as ObjectEntry[];
        expect(marker).toMatchObject({ key: "k\u00fc y", isDeleteMarker: true, isLatest: true });
        expect(newer).toMatchObject({ versionId: two.versionId, size: 6, isLatest: false });
        expect(older).toMatchObject({ versionId: one.versionId, size: 3, isDeleteMarker: false });
        expect(z).toMatchObject({ key: "z", isLatest: true });

        const version = { versionId: one.versionId! };
        expect(await storage.stat("k\u00fc y", version)).toMatchObject({ size: 3, ...version });
        const { body } = await storage.read("k\u00fc y", version);
        const chunks = [];
        for await (const chunk of body) chunks.push(Buffer.from(chunk));
        expect(Buffer.concat(chunks).toString()).toBe("one");
        await expect(storage.stat("k\u00fc y")).rejects.toMatchObject({ code: "NoSuchKey" });

        const targets: RemoveTarget[] = [
          { key: "k\u00fc y", versionId: marker!.versionId },
          { key: "k\u00fc y", versionId: one.versionId },
        ];
        const results = await storage.remove(targets);
        expect(results).toMatchObject(targets);
        expect(results.every(({ error }) => error === undefined)).toBe(true);
        expect((await bytesOf(storage, "k\u00fc y")).toString()).toBe("second");
        expect(await listed(storage, { versions: true })).toHaveLength(2);
      });

      unless("versions", "version pages")(
        "page through a key that has more than a page of them",
        async () => {
          const { service, storage } = place;
          await service.setVersioning(storage.bucket, "Enabled");
          const written: (string | undefined)[] = [];
          for (let i = 0; i < 5; i++) {
            written.unshift((await storage.write("key", Buffer.from(String(i)))).versionId);
          }
          await storage.write("next", Buffer.from("x"));
          for (const pageSize of [1, 2, 1000]) {
            const all = (await listed(storage, { versions: true, pageSize })) as ObjectEntry[];
            expect(all.map(({ key }) => key)).toEqual([...Array(5).fill("key"), "next"]);
            expect(all.slice(0, 5).map(({ versionId }) => versionId)).toEqual(written);
          }
        },
      );
    });

    describe("buckets", () => {
      it("are listed, and known to be there or not", async () => {
        const { service, storage } = place;
        const found = (await service.list()).find(({ name }) => name === storage.bucket);
        expect(found?.created).toBeGreaterThan(Date.now() - 3_600_000);
        expect(await service.exists(storage.bucket)).toBe(true);
        expect(await service.exists(`${storage.bucket}-not`)).toBe(false);
      });

      it("are made twice only on purpose", async () => {
        const { service, storage } = place;
        await service.make(storage.bucket, { ignoreExisting: true });
        await storage.write("key", Buffer.from("x"));
        await service.make(storage.bucket, { ignoreExisting: true });
        expect(await keys(storage)).toEqual(["key"]);
      });

      it("are not removed while they hold anything", async () => {
        const { service, storage } = place;
        await storage.write("key", Buffer.from("x"));
        const removing = service.remove(storage.bucket);
        await expect(removing).rejects.toMatchObject({ kind: "conflict", code: "BucketNotEmpty" });
        expect(await keys(storage)).toEqual(["key"]);
      });

      it("that are missing give NoSuchBucket, whatever is asked of them", async () => {
        const { storage, service } = place;
        const { bucket } = storage;
        await service.remove(bucket);
        const expected = { kind: "not-found", code: "NoSuchBucket" };
        await expect(listed(storage)).rejects.toMatchObject(expected);
        await expect(storage.stat("key")).rejects.toMatchObject(expected);
        await expect(storage.read("key")).rejects.toMatchObject(expected);
        await expect(storage.write("key", Buffer.from("x"))).rejects.toMatchObject(expected);
        await expect(storage.remove([{ key: "a" }])).rejects.toMatchObject(expected);
        await expect(storage.remove([{ key: "a" }, { key: "b" }])).rejects.toMatchObject(expected);
        await expect(storage.createUpload("key")).rejects.toMatchObject(expected);
        await expect(service.remove(bucket)).rejects.toMatchObject(expected);
        await service.make(bucket);
      });
    });

    describe.skipIf(!reachable)("presigned URLs", () => {
      it("let anybody read and write for a limited time", async () => {
        const { storage } = place;
        const key = "a b+c/\u00fc.txt";
        const put = await storage.presign("PUT", key, 60, { contentType: "text/plain" });
        const answer = await fetch(put, {
          method: "PUT",
          body: "shared",
          headers: { "content-type": "text/plain" },
        });
        expect(answer.status).toBe(200);
        const get = await storage.presign("GET", key, 60);
        expect(await (await fetch(get)).text()).toBe("shared");
      });

      unless("signatures")("end when they were meant to", async () => {
        const { storage } = place;
        await storage.write("key", Buffer.from("x"));
        const url = await storage.presign("GET", "key", 60);
        url.searchParams.set("X-Amz-Expires", "604800");
        expect((await fetch(url)).status).toBe(403);
      });
    });
  });
}
