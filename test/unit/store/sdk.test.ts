/** The unmodified AWS SDK for JavaScript, with its default settings, over TCP. */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteBucketTaggingCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetBucketTaggingCommand,
  GetBucketVersioningCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutBucketTaggingCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sdkFor, keysOf } from "../../support/sdk.js";
import { type RunningStore, startStore } from "../../support/store.js";

let store: RunningStore;
let s3: S3Client;
const scratch = mkdtempSync(join(tmpdir(), "pail-sdk-"));

beforeAll(async () => {
  store = await startStore({ onError: (error) => console.error(error) });
  s3 = sdkFor(store);
});
afterAll(async () => {
  s3.destroy();
  await store.close();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
});

let count = 0;
/** A bucket of its own for each test. */
async function freshBucket(): Promise<string> {
  const Bucket = `bucket-${++count}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  return Bucket;
}

async function put(Bucket: string, Key: string, Body: string | Buffer = Key) {
  return s3.send(new PutObjectCommand({ Bucket, Key, Body }));
}

async function get(Bucket: string, Key: string, more: object = {}): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return Buffer.from(await Body!.transformToByteArray());
}

const KEYS = [
  "a",
  "a/b",
  "a//b",
  "/lead",
  "trail/",
  "..",
  "../x",
  "sp ace+plus%20?q#f&=",
  "new\nline",
  "\u{1F600}\uFFFD",
  "é",
  "x".repeat(1024),
  "quote\"'<>",
];

describe("buckets", () => {
  it("are made, found, listed and removed", async () => {
    const Bucket = await freshBucket();
    const head = await s3.send(new HeadBucketCommand({ Bucket }));
    expect(head.BucketRegion).toBe("us-east-1");
    const { LocationConstraint } = await s3.send(new GetBucketLocationCommand({ Bucket }));
    expect(LocationConstraint).toBeUndefined();
    const { Buckets } = await s3.send(new ListBucketsCommand({ Prefix: Bucket }));
    expect(Buckets).toEqual([
      { Name: Bucket, CreationDate: expect.any(Date) as Date, BucketRegion: "us-east-1" },
    ]);
    await s3.send(new DeleteBucketCommand({ Bucket }));
    await expect(s3.send(new HeadBucketCommand({ Bucket }))).rejects.toMatchObject({
      name: "NotFound",
    });
  });

  it("are listed page by page", async () => {
    const names = [await freshBucket(), await freshBucket(), await freshBucket()];
    const seen: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await s3.send(new ListBucketsCommand({ MaxBuckets: 2, ContinuationToken }));
      seen.push(...page.Buckets!.map(({ Name }) => Name!));
      ({ ContinuationToken } = page);
    } while (ContinuationToken !== undefined);
    expect(seen).toEqual([...seen].sort());
    expect(seen).toEqual(expect.arrayContaining(names));
  });

  it("are not removed while they hold anything", async () => {
    const Bucket = await freshBucket();
    await put(Bucket, "k");
    await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject({
      name: "BucketNotEmpty",
    });
  });

  it("are one's own when they are made again: a conflict, as in all of AWS's regions but one", async () => {
    const Bucket = await freshBucket();
    await put(Bucket, "k");
    await expect(s3.send(new CreateBucketCommand({ Bucket }))).rejects.toMatchObject({
      name: "BucketAlreadyOwnedByYou",
      $metadata: { httpStatusCode: 409 },
    });
    expect(await keysOf(s3, Bucket)).toEqual(["k"]);
  });

  it.each(["UPPER", "ab", "a..b", "192.168.0.1", "-ab", "xn--abc"])(
    "are refused the name %s",
    async (Bucket) => {
      await expect(s3.send(new CreateBucketCommand({ Bucket }))).rejects.toMatchObject({
        name: "InvalidBucketName",
      });
    },
  );

  it("keep tags", async () => {
    const Bucket = await freshBucket();
    const TagSet = [{ Key: "team", Value: "a b" }];
    const read = () => s3.send(new GetBucketTaggingCommand({ Bucket }));
    await expect(read()).rejects.toMatchObject({ name: "NoSuchTagSet" });
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
    expect((await read()).TagSet).toEqual(TagSet);
    await s3.send(new DeleteBucketTaggingCommand({ Bucket }));
    await expect(read()).rejects.toMatchObject({ name: "NoSuchTagSet" });
  });
});

describe("objects", () => {
  it.each(KEYS)("keep the exact key %j", async (key) => {
    const Bucket = await freshBucket();
    await put(Bucket, key, `body of ${key}`);
    expect((await get(Bucket, key)).toString()).toBe(`body of ${key}`);
    const listed = await s3.send(new ListObjectsV2Command({ Bucket }));
    expect(listed.Contents?.map(({ Key }) => Key)).toEqual([key]);
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: key }] } }));
    expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
  });

  it("come back with their headers and metadata", async () => {
    const Bucket = await freshBucket();
    const { ETag, ChecksumCRC32 } = await s3.send(
      new PutObjectCommand({
        Bucket,
        Key: "k",
        Body: "hello",
        ContentType: "text/plain",
        CacheControl: "no-cache",
        ContentDisposition: "attachment",
        ContentEncoding: "identity",
        ContentLanguage: "en",
        StorageClass: "STANDARD_IA",
        Metadata: { One: "1", two: "zwei" },
        Tagging: "a=1&b=x%20y",
      }),
    );
    expect(ETag).toBe(`"${createHash("md5").update("hello").digest("hex")}"`);
    expect(ChecksumCRC32).toBe("NhCmhg==");
    const head = await s3.send(
      new HeadObjectCommand({ Bucket, Key: "k", ChecksumMode: "ENABLED" }),
    );
    expect(head).toMatchObject({
      ContentLength: 5,
      ContentType: "text/plain",
      CacheControl: "no-cache",
      ContentDisposition: "attachment",
      ContentEncoding: "identity",
      ContentLanguage: "en",
      StorageClass: "STANDARD_IA",
      Metadata: { one: "1", two: "zwei" },
      ChecksumCRC32,
      ChecksumType: "FULL_OBJECT",
      ETag,
    });
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: "k" }));
    expect(TagSet).toEqual([
      { Key: "a", Value: "1" },
      { Key: "b", Value: "x y" },
    ]);
  });

  it("are uploaded from a file stream, in chunks with a trailing checksum", async () => {
    const Bucket = await freshBucket();
    const content = randomBytes(3 * 1024 * 1024 + 17);
    const file = join(scratch, "stream");
    writeFileSync(file, content);
    await s3.send(new PutObjectCommand({ Bucket, Key: "k", Body: createReadStream(file) }));
    expect((await get(Bucket, "k")).equals(content)).toBe(true);
    const head = await s3.send(
      new HeadObjectCommand({ Bucket, Key: "k", ChecksumMode: "ENABLED" }),
    );
    expect(head.ChecksumCRC32).toBeDefined();
    expect(head.ContentEncoding).toBeUndefined();
  });

  it.each(["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] as const)(
    "are uploaded as a stream with a trailing %s",
    async (ChecksumAlgorithm) => {
      const Bucket = await freshBucket();
      const Body = Readable.from([Buffer.from("hello "), Buffer.from("world")]);
      const input = { Bucket, Key: "k", Body, ContentLength: 11, ChecksumAlgorithm };
      await s3.send(new PutObjectCommand(input));
      expect((await get(Bucket, "k")).toString()).toBe("hello world");
    },
  );

  it("are refused when a checksum in a header is wrong", async () => {
    const Bucket = await freshBucket();
    const wrong = { Bucket, Key: "k", Body: "hello", ChecksumCRC32: "AAAAAA==" };
    await expect(s3.send(new PutObjectCommand(wrong))).rejects.toMatchObject({ name: "BadDigest" });
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key: "k" }))).rejects.toMatchObject({
      name: "NotFound",
    });
  });

  it("are read by range and by condition", async () => {
    const Bucket = await freshBucket();
    const { ETag } = await put(Bucket, "k", "0123456789");
    expect((await get(Bucket, "k", { Range: "bytes=2-4" })).toString()).toBe("234");
    expect((await get(Bucket, "k", { Range: "bytes=-3" })).toString()).toBe("789");
    expect((await get(Bucket, "k", { Range: "bytes=8-99" })).toString()).toBe("89");
    expect((await get(Bucket, "k", { Range: "bytes=0-1,3-4" })).toString()).toBe("0123456789");
    await expect(get(Bucket, "k", { Range: "bytes=10-" })).rejects.toMatchObject({
      name: "InvalidRange",
    });
    expect((await get(Bucket, "k", { IfMatch: ETag })).length).toBe(10);
    await expect(get(Bucket, "k", { IfMatch: '"x"' })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 412 },
    });
    await expect(get(Bucket, "k", { IfNoneMatch: ETag })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    });
  });

  it("are written under a condition", async () => {
    const Bucket = await freshBucket();
    const write = (more: object) =>
      s3.send(new PutObjectCommand({ Bucket, Key: "k", Body: "x", ...more }));
    const { ETag } = await write({ IfNoneMatch: "*" });
    await expect(write({ IfNoneMatch: "*" })).rejects.toMatchObject({ name: "PreconditionFailed" });
    await expect(write({ IfMatch: '"no"' })).rejects.toMatchObject({ name: "PreconditionFailed" });
    await write({ IfMatch: ETag });
  });

  it("have their answers' headers overridden on request", async () => {
    const Bucket = await freshBucket();
    await put(Bucket, "k");
    const response = await s3.send(
      new GetObjectCommand({
        Bucket,
        Key: "k",
        ResponseContentType: "text/csv",
        ResponseContentDisposition: 'attachment; filename="a b"',
      }),
    );
    expect(response.ContentType).toBe("text/csv");
    expect(response.ContentDisposition).toBe('attachment; filename="a b"');
    await response.Body!.transformToByteArray();
  });

  it("are copied with their metadata, or with another", async () => {
    const Bucket = await freshBucket();
    await s3.send(
      new PutObjectCommand({ Bucket, Key: "a b", Body: "x", Metadata: { m: "1" }, Tagging: "t=1" }),
    );
    const CopySource = `${Bucket}/a%20b`;
    await s3.send(new CopyObjectCommand({ Bucket, Key: "copy", CopySource }));
    const copy = await s3.send(new HeadObjectCommand({ Bucket, Key: "copy" }));
    expect(copy.Metadata).toEqual({ m: "1" });
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: "copy",
        CopySource,
        MetadataDirective: "REPLACE",
        Metadata: { m: "2" },
      }),
    );
    const replaced = await s3.send(new HeadObjectCommand({ Bucket, Key: "copy" }));
    expect(replaced.Metadata).toEqual({ m: "2" });
    const tags = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: "copy" }));
    expect(tags.TagSet).toEqual([{ Key: "t", Value: "1" }]);
    await expect(
      s3.send(new CopyObjectCommand({ Bucket, Key: "a b", CopySource })),
    ).rejects.toMatchObject({ name: "InvalidRequest" });
  });

  it("have attributes", async () => {
    const Bucket = await freshBucket();
    await put(Bucket, "k", "hello");
    const attributes = await s3.send(
      new GetObjectAttributesCommand({
        Bucket,
        Key: "k",
        ObjectAttributes: ["ETag", "ObjectSize", "Checksum", "StorageClass"],
      }),
    );
    expect(attributes).toMatchObject({
      ETag: createHash("md5").update("hello").digest("hex"),
      ObjectSize: 5,
      StorageClass: "STANDARD",
      Checksum: { ChecksumCRC32: "NhCmhg==", ChecksumType: "FULL_OBJECT" },
    });
  });

  it("have tags that follow the rules", async () => {
    const Bucket = await freshBucket();
    await put(Bucket, "k");
    const tag = (TagSet: { Key: string; Value: string }[]) =>
      s3.send(new PutObjectTaggingCommand({ Bucket, Key: "k", Tagging: { TagSet } }));
    await tag([{ Key: "__proto__", Value: "x" }]);
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: "k" }));
    expect(TagSet).toEqual([{ Key: "__proto__", Value: "x" }]);
    for (const bad of [
      [{ Key: "aws:x", Value: "" }],
      [{ Key: "k".repeat(129), Value: "" }],
      [{ Key: "k", Value: "v".repeat(257) }],
      Array.from({ length: 11 }, (_, i) => ({ Key: `k${i}`, Value: "" })),
    ]) {
      await expect(tag(bad)).rejects.toMatchObject({ name: "InvalidTag" });
    }
  });
});

describe("listings", () => {
  it("come in pages, by UTF-8 bytes, in both versions of the API", async () => {
    const Bucket = await freshBucket();
    const keys = ["a", "b/1", "b/2", "c", "\uFFFD", "\u{1F600}"];
    await Promise.all(keys.map((key) => put(Bucket, key)));

    const v2: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const input = { Bucket, MaxKeys: 2, ContinuationToken };
      const page = await s3.send(new ListObjectsV2Command(input));
      v2.push(...page.Contents!.map(({ Key }) => Key!));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    expect(v2).toEqual(keys);

    const v1: string[] = [];
    let Marker: string | undefined;
    for (;;) {
      const input = { Bucket, MaxKeys: 2, Delimiter: "/", Marker };
      const page = await s3.send(new ListObjectsCommand(input));
      v1.push(...(page.Contents ?? []).map(({ Key }) => Key!));
      v1.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix!));
      if (page.IsTruncated !== true) break;
      Marker = page.NextMarker;
    }
    expect([...v1].sort()).toEqual(["a", "b/", "c", "\u{1F600}", "\uFFFD"].sort());
  });

  it("show the owner in version 1, and in version 2 when asked", async () => {
    const Bucket = await freshBucket();
    await put(Bucket, "k");
    const [v1, v2, owned] = await Promise.all([
      s3.send(new ListObjectsCommand({ Bucket })),
      s3.send(new ListObjectsV2Command({ Bucket })),
      s3.send(new ListObjectsV2Command({ Bucket, FetchOwner: true })),
    ]);
    expect(v1.Contents![0]!.Owner?.DisplayName).toBe("pail");
    expect(v2.Contents![0]!.Owner).toBeUndefined();
    expect(owned.Contents![0]!.Owner?.DisplayName).toBe("pail");
  });

  it("show versions with the id null where versioning never was", async () => {
    const Bucket = await freshBucket();
    await put(Bucket, "k");
    const { Versions } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    expect(Versions).toMatchObject([{ Key: "k", VersionId: "null", IsLatest: true }]);
    await s3.send(
      new DeleteObjectsCommand({
        Bucket,
        Delete: { Objects: [{ Key: "k", VersionId: "null" }], Quiet: true },
      }),
    );
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });
});

describe("versions", () => {
  it("are kept, listed, read, hidden by a marker and removed", async () => {
    const Bucket = await freshBucket();
    const versioning = { Bucket, VersioningConfiguration: { Status: "Enabled" as const } };
    await s3.send(new PutBucketVersioningCommand(versioning));
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBe("Enabled");

    const one = await put(Bucket, "k", "one");
    const two = await put(Bucket, "k", "two");
    expect(one.VersionId).not.toBe(two.VersionId);
    expect((await get(Bucket, "k")).toString()).toBe("two");
    expect((await get(Bucket, "k", { VersionId: one.VersionId })).toString()).toBe("one");

    const gone = await s3.send(new DeleteObjectCommand({ Bucket, Key: "k" }));
    expect(gone.DeleteMarker).toBe(true);
    await expect(get(Bucket, "k")).rejects.toMatchObject({ name: "NoSuchKey" });
    await expect(get(Bucket, "k", { VersionId: gone.VersionId })).rejects.toMatchObject({
      name: "MethodNotAllowed",
    });
    const listed = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    expect(listed.Versions?.map(({ VersionId }) => VersionId)).toEqual([
      two.VersionId,
      one.VersionId,
    ]);
    expect(listed.DeleteMarkers).toMatchObject([{ VersionId: gone.VersionId, IsLatest: true }]);

    await s3.send(new DeleteObjectCommand({ Bucket, Key: "k", VersionId: gone.VersionId }));
    expect((await get(Bucket, "k")).toString()).toBe("two");
  });
});

describe("multipart uploads", () => {
  const MiB = 1024 * 1024;

  it.each([undefined, "CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] as const)(
    "make one object of their parts, with checksum %s",
    async (ChecksumAlgorithm) => {
      const Bucket = await freshBucket();
      const Key = "multi";
      const pieces = [randomBytes(5 * MiB), randomBytes(5 * MiB + 3), randomBytes(1000)];
      const { UploadId } = await s3.send(
        new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm, Metadata: { m: "x" } }),
      );
      const Parts = await Promise.all(
        pieces.map(async (Body, index) => {
          const PartNumber = index + 1;
          const input = { Bucket, Key, UploadId, PartNumber, Body, ChecksumAlgorithm };
          const { $metadata: _, ...part } = await s3.send(new UploadPartCommand(input));
          return { PartNumber, ...part };
        }),
      );
      const listed = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId, MaxParts: 2 }));
      expect(listed.Parts?.map(({ PartNumber, ETag }) => [PartNumber, ETag])).toEqual(
        Parts.slice(0, 2).map(({ PartNumber, ETag }) => [PartNumber, ETag]),
      );
      expect(listed.IsTruncated).toBe(true);
      const complete = () =>
        s3.send(
          new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
        );
      const done = await complete();
      expect(done.ETag).toMatch(/^"[\da-f]{32}-3"$/);
      // A client that lost the answer asks again, and gets the same.
      expect((await complete()).ETag).toBe(done.ETag);

      expect((await get(Bucket, Key)).equals(Buffer.concat(pieces))).toBe(true);
      expect((await get(Bucket, Key, { PartNumber: 2 })).equals(pieces[1]!)).toBe(true);
      expect(
        (await get(Bucket, Key, { Range: `bytes=${5 * MiB - 2}-${5 * MiB + 1}` })).length,
      ).toBe(4);
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key, PartNumber: 1 }));
      expect(head).toMatchObject({ PartsCount: 3, ContentLength: 5 * MiB, Metadata: { m: "x" } });

      const { ObjectParts } = await s3.send(
        new GetObjectAttributesCommand({
          Bucket,
          Key,
          ObjectAttributes: ["ObjectParts"],
          MaxParts: 2,
        }),
      );
      expect(ObjectParts).toMatchObject({
        TotalPartsCount: 3,
        IsTruncated: true,
        NextPartNumberMarker: "2",
      });
      expect(ObjectParts!.Parts!.map(({ Size }) => Size)).toEqual([5 * MiB, 5 * MiB + 3]);

      const CopySource = `${Bucket}/${Key}`;
      const copy = await s3.send(new CopyObjectCommand({ Bucket, Key: "copy", CopySource }));
      const md5 = createHash("md5").update(Buffer.concat(pieces)).digest("hex");
      expect(copy.CopyObjectResult?.ETag).toBe(`"${md5}"`);
    },
  );

  it("copy parts from objects", async () => {
    const Bucket = await freshBucket();
    const source = randomBytes(6 * MiB);
    await put(Bucket, "source", source);
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: "k" }));
    const ranges = [`bytes=0-${5 * MiB - 1}`, `bytes=${5 * MiB}-${6 * MiB - 1}`];
    const Parts = await Promise.all(
      ranges.map(async (CopySourceRange, index) => {
        const PartNumber = index + 1;
        const CopySource = `${Bucket}/source`;
        const { CopyPartResult } = await s3.send(
          new UploadPartCopyCommand({
            Bucket,
            Key: "k",
            UploadId,
            PartNumber,
            CopySource,
            CopySourceRange,
          }),
        );
        return { PartNumber, ETag: CopyPartResult!.ETag };
      }),
    );
    await s3.send(
      new CompleteMultipartUploadCommand({
        Bucket,
        Key: "k",
        UploadId,
        MultipartUpload: { Parts },
      }),
    );
    expect((await get(Bucket, "k")).equals(source)).toBe(true);
  });

  it("are listed and aborted, and refuse what does not fit", async () => {
    const Bucket = await freshBucket();
    const begin = async (Key: string) =>
      (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId!;
    const [a1, a2, b] = [await begin("a"), await begin("a"), await begin("b/c")];

    const seen: string[] = [];
    let markers: { KeyMarker?: string; UploadIdMarker?: string } = {};
    for (;;) {
      const page = await s3.send(
        new ListMultipartUploadsCommand({ Bucket, MaxUploads: 1, ...markers }),
      );
      seen.push(...page.Uploads!.map(({ UploadId }) => UploadId!));
      if (page.IsTruncated !== true) break;
      markers = { KeyMarker: page.NextKeyMarker!, UploadIdMarker: page.NextUploadIdMarker! };
    }
    expect(seen).toEqual([a1, a2, b]);
    const grouped = await s3.send(new ListMultipartUploadsCommand({ Bucket, Delimiter: "/" }));
    expect(grouped.CommonPrefixes).toEqual([{ Prefix: "b/" }]);

    const upload = { Bucket, Key: "a", UploadId: a1 };
    const send = async (PartNumber: number) => {
      const input = { ...upload, PartNumber, Body: "small" };
      return { PartNumber, ETag: (await s3.send(new UploadPartCommand(input))).ETag };
    };
    const [one, two] = [await send(1), await send(2)];
    const complete = (Parts: { PartNumber: number; ETag: string | undefined }[]) =>
      s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    await expect(complete([one, two])).rejects.toMatchObject({ name: "EntityTooSmall" });
    await expect(complete([two, one])).rejects.toMatchObject({ name: "InvalidPartOrder" });
    await expect(complete([{ PartNumber: 1, ETag: '"x"' }])).rejects.toMatchObject({
      name: "InvalidPart",
    });
    await s3.send(new AbortMultipartUploadCommand(upload));
    await expect(s3.send(new ListPartsCommand(upload))).rejects.toMatchObject({
      name: "NoSuchUpload",
    });
  });
});
