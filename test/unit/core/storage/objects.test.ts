import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import { openBucket } from "../../../../src/core/storage/s3.js";
import type { ByteRange } from "../../../../src/core/storage/storage.js";
import { GOOGLE_DIALECT } from "../../../../src/protocol/dialect.js";
import { answer, refusal, script } from "../../../support/answers.js";
import { clientFor } from "../../../support/client.js";

function bucketOf(respond: Parameters<typeof script>[0], dialect = clientFor({}).dialect) {
  const run = script(respond);
  return { ...run, bucket: openBucket(clientFor({ handler: run.handler, dialect }), "b") };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

describe("stat", () => {
  it("reads the headers of a HEAD's answer", async () => {
    const { bucket, requests } = bucketOf(() =>
      answer(200, "", {
        "content-length": "5368709121",
        "content-type": "text/plain",
        "cache-control": "no-cache",
        expires: "Thu, 01 Dec 2030 16:00:00 GMT",
        etag: 'W/"abc-3"',
        "last-modified": "Thu, 01 Aug 2024 10:01:08 GMT",
        "x-amz-storage-class": "GLACIER",
        "x-amz-version-id": "v1",
        "x-amz-meta-author": "someone",
        "x-amz-checksum-crc64nvme": "AAAAAAAAAAA=",
        "x-amz-checksum-type": "FULL_OBJECT",
        "x-amz-mp-parts-count": "3",
        "x-amz-server-side-encryption": "AES256",
      }),
    );
    expect(await bucket.stat("a b", { versionId: "v1" })).toEqual({
      type: "object",
      key: "a b",
      size: 5_368_709_121,
      lastModified: Date.UTC(2024, 7, 1, 10, 1, 8),
      etag: "abc-3",
      storageClass: "GLACIER",
      versionId: "v1",
      contentType: "text/plain",
      cacheControl: "no-cache",
      expires: "Thu, 01 Dec 2030 16:00:00 GMT",
      metadata: { author: "someone" },
      checksums: { CRC64NVME: "AAAAAAAAAAA=" },
      checksumType: "FULL_OBJECT",
      partsCount: 3,
      encryption: "AES256",
    });
    expect(requests[0]?.query).toBe("versionId=v1");
    expect(requests[0]?.headers["x-amz-checksum-mode"]).toBe("ENABLED");
  });

  it("reads an answer with hardly any headers", async () => {
    const { bucket } = bucketOf(() => answer(200, "", { etag: '"e"' }));
    const info = await bucket.stat("key");
    expect(info).toEqual({
      type: "object",
      key: "key",
      size: 0,
      etag: "e",
      metadata: {},
      checksums: {},
    });
  });

  it("reads metadata in MIME's encodings", async () => {
    const { bucket } = bucketOf(() =>
      answer(200, "", {
        etag: '"e"',
        "x-amz-meta-b": "=?UTF-8?B?R3LDvMOf?= =?UTF-8?B?ZQ==?=",
        "x-amz-meta-q": "=?utf-8?Q?Gr=C3=BC=C3=9Fe_you?=",
        "x-amz-meta-plain": "a=?b",
      }),
    );
    const { metadata } = await bucket.stat("key");
    expect(metadata).toEqual({ b: "Gr\u00fc\u00dfe", q: "Gr\u00fc\u00dfe you", plain: "a=?b" });
  });

  it("finds out whether the key or the bucket is missing, once", async () => {
    const { bucket, asked } = bucketOf((request) => answer(request.path === "/b" ? 200 : 404));
    await expect(bucket.stat("x")).rejects.toMatchObject({ code: "NoSuchKey", kind: "not-found" });
    await expect(bucket.stat("y")).rejects.toMatchObject({ code: "NoSuchKey", kind: "not-found" });
    expect(asked).toEqual(["HEAD /b/x", "HEAD /b", "HEAD /b/y"]);
    const gone = bucketOf(() => answer(404));
    await expect(gone.bucket.stat("x")).rejects.toMatchObject({ code: "NoSuchBucket" });
    const secret = bucketOf((request) => answer(request.path === "/b" ? 403 : 404));
    await expect(secret.bucket.stat("x")).rejects.toMatchObject({ code: "NoSuchKey" });
  });

  it("speaks the vendor's dialect", async () => {
    const { bucket, requests } = bucketOf(
      () => answer(200, "", { etag: '"e"', "x-goog-meta-a": "1", "x-amz-meta-b": "2" }),
      GOOGLE_DIALECT,
    );
    expect((await bucket.stat("key")).metadata).toEqual({ a: "1" });
    expect(requests[0]?.headers["x-goog-checksum-mode"]).toBe("ENABLED");
    // Otherwise Google would decompress an object that is stored as gzip.
    expect(requests[0]?.headers["accept-encoding"]).toBe("gzip");
  });
});

describe("read", () => {
  it("tells the size of the whole object with a part of it", async () => {
    const { bucket, requests } = bucketOf(() =>
      answer(206, "234", { "content-range": "bytes 2-4/10", etag: '"abc"' }),
    );
    const { info, body } = await bucket.read("key", {
      range: { start: 2, end: 4 },
      ifMatch: "abc",
    });
    expect(info.size).toBe(10);
    expect(await textOf(body)).toBe("234");
    expect(requests[0]?.headers).toMatchObject({ range: "bytes=2-4", "if-match": '"abc"' });
  });

  it.each<[ByteRange, string]>([
    [{ start: 2, end: 4 }, "234"],
    [{ start: 0, end: 0 }, "0"],
    [{ start: 9 }, "9"],
    [{ start: 1500, end: 2500 }, "x".repeat(1001)],
  ])("cuts the range %o out of a whole answer", async (range, expected) => {
    const whole = range.start > 1000 ? "x".repeat(3000) : "0123456789";
    const { bucket } = bucketOf(() => answer(200, whole, { etag: '"e"' }));
    const { info, body } = await bucket.read("key", { range });
    expect(info.size).toBe(whole.length);
    expect(await textOf(body)).toBe(expected);
  });

  it.each([
    ["short", "9"],
    ["long", "3"],
  ])("fails after a body that is too %s", async (_, length) => {
    const { bucket } = bucketOf(() =>
      answer(200, "hello", { "content-length": length, etag: '"e"' }),
    );
    const { body } = await bucket.read("key");
    await expect(textOf(body)).rejects.toMatchObject({
      kind: "unavailable",
      code: "IncompleteBody",
    });
  });
});

describe("write", () => {
  it("spells headers, metadata, tags, conditions and checksum", async () => {
    const { bucket, requests } = bucketOf(() =>
      answer(200, "", { etag: '"abc"', "x-amz-version-id": "v2" }),
    );
    const result = await bucket.write("key", Buffer.from("x"), {
      contentType: "text/plain",
      storageClass: "STANDARD_IA",
      metadata: { Author: "J\u00fcrgen", ascii: "plain text" },
      tags: { "a b": "c+d&e", "\u00fc": "" },
      ifMatch: "old",
      checksum: { algorithm: "CRC32", value: "jNwWgw==" },
    });
    expect(result).toEqual({ etag: "abc", versionId: "v2" });
    expect(requests[0]?.headers).toMatchObject({
      "content-type": "text/plain",
      "x-amz-storage-class": "STANDARD_IA",
      "x-amz-meta-author": "=?UTF-8?B?SsO8cmdlbg==?=",
      "x-amz-meta-ascii": "plain text",
      "x-amz-tagging": "a%20b=c%2Bd%26e&%C3%BC=",
      "if-match": '"old"',
      "x-amz-checksum-crc32": "jNwWgw==",
    });
  });

  it.each([
    [{ metadata: { "a b": "1" } }],
    [{ metadata: { "": "1" } }],
    [{ contentType: "text/plain\r\nx-evil: 1" }],
    [{ contentDisposition: 'attachment; filename="\u00fc"' }],
  ])("refuses %j, which no header can carry", async (options) => {
    const { bucket, asked } = bucketOf(() => answer(200));
    const writing = bucket.write("key", Buffer.from("x"), options);
    await expect(writing).rejects.toMatchObject({
      kind: "usage",
      code: expect.stringMatching(/^Invalid(?:Metadata|Header)$/),
    });
    expect(asked).toEqual([]);
  });

  it("is repeated after a failure of the service, but not when it is conditional", async () => {
    const stored = () => answer(200, "", { etag: '"e"' });
    const flaky = () => bucketOf((_, i) => (i === 0 ? refusal(500, "InternalError") : stored()));
    const plain = flaky();
    await plain.bucket.write("key", Buffer.from("x"));
    expect(plain.asked).toHaveLength(2);
    const conditional = flaky();
    const writing = conditional.bucket.write("key", Buffer.from("x"), { ifNoneMatch: "*" });
    await expect(writing).rejects.toMatchObject({ code: "InternalError" });
    // The object that is there tells whether it was written all the same.
    expect(conditional.asked).toEqual(["PUT /b/key", "HEAD /b/key"]);
  });
});

describe("copyFrom", () => {
  const result =
    '<?xml version="1.0"?><CopyObjectResult><ETag>&quot;e&quot;</ETag></CopyObjectResult>';

  it("compares the bare ETag where a service takes the quotes as a part of it", async () => {
    const { bucket, requests } = bucketOf(({ method, headers }) => {
      if (method === "HEAD") return answer(200, "", { etag: '"old"' });
      return headers["if-match"] === "old" ? answer(200, result) : answer(412, "");
    });
    const source = { bucket: "from", key: "k" };
    const again = await bucket.copyFrom("to", source, { ifMatch: "old" });
    expect([again.etag, requests.map(({ headers }) => headers["if-match"])]).toEqual([
      "e",
      ['"old"', undefined, "old"],
    ]);
    const nothing = bucket.copyFrom("to", source, { ifNoneMatch: "*" });
    await expect(nothing).rejects.toMatchObject({ code: "PreconditionFailed" });
    expect(requests).toHaveLength(4);
  });

  it.each([200, 403])(
    "is not tried with a bare ETag where another object came, or cannot be looked at (%i)",
    async (status) => {
      // A service that ignores an ETag without quotes would replace the object.
      const { bucket, requests } = bucketOf(({ method, headers }) => {
        if (method === "HEAD") return answer(status, "", { etag: '"new"' });
        return headers["if-match"] === '"old"' ? answer(412, "") : answer(200, result);
      });
      const writing = bucket.write("to", Buffer.from("x"), { ifMatch: "old" });
      await expect(writing).rejects.toMatchObject({ code: "PreconditionFailed" });
      const copying = bucket.copyFrom("to", { bucket: "from", key: "k" }, { ifMatch: "old" });
      await expect(copying).rejects.toMatchObject({ code: "PreconditionFailed" });
      const completing = bucket.completeUpload("to", "id", [{ partNumber: 1, etag: "e" }], {
        ifMatch: "old",
      });
      await expect(completing).rejects.toMatchObject({ code: "PreconditionFailed" });
      expect(requests.flatMap(({ headers }) => headers["if-match"] ?? [])).toEqual([
        '"old"',
        '"old"',
        '"old"',
      ]);
    },
  );

  it("names the source in the URL's encoding", async () => {
    const { bucket, requests } = bucketOf(() => answer(200, result));
    const copied = await bucket.copyFrom("to", {
      bucket: "from",
      key: "a//b c+\u00fc?*'()",
      versionId: "v/1",
      ifMatch: "e",
    });
    expect(copied.etag).toBe("e");
    expect(requests[0]?.headers).toMatchObject({
      "x-amz-copy-source": "/from/a//b%20c%2B%C3%BC%3F%2A%27%28%29?versionId=v%2F1",
      "x-amz-copy-source-if-match": '"e"',
    });
  });

  it("fails with an error that comes after a 200", async () => {
    const { bucket, asked } = bucketOf(() =>
      answer(200, `\n\n  <?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`),
    );
    const copying = bucket.copyFrom("to", { bucket: "b", key: "k" });
    await expect(copying).rejects.toMatchObject({ kind: "denied", code: "AccessDenied" });
    expect(asked).toHaveLength(1);
  });

  it("repeats after the service's own failure behind a 200", async () => {
    const late = `<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>`;
    const { bucket, asked } = bucketOf((_, i) => answer(200, i === 0 ? late : result));
    expect((await bucket.copyFrom("to", { bucket: "b", key: "k" })).etag).toBe("e");
    expect(asked).toHaveLength(2);
  });

  it("does not accept half an answer", async () => {
    const { bucket } = bucketOf(() => answer(200, `<?xml version="1.0"?><CopyObjectResult>`));
    const copying = bucket.copyFrom("to", { bucket: "b", key: "k" });
    await expect(copying).rejects.toMatchObject({ code: "InvalidResponse" });
  });
});

describe("completeUpload", () => {
  const parts = [
    { partNumber: 1, etag: "0cc175b9c0f1b6a831c399e269772661" },
    { partNumber: 2, etag: "92eb5ffee6ae2fec3ad71c777531578f" },
  ];

  const lostAnswer = (etag: string) =>
    bucketOf((request, i) => {
      if (request.method === "HEAD") return answer(200, "", { etag: `"${etag}"` });
      return i === 0 ? refusal(500, "InternalError") : refusal(404, "NoSuchUpload");
    });

  it("accepts the object when the answer was lost and the upload is gone", async () => {
    const digests = Buffer.from(parts.map(({ etag }) => etag).join(""), "hex");
    const etag = `${createHash("md5").update(digests).digest("hex")}-2`;
    const { bucket, asked } = lostAnswer(etag);
    expect((await bucket.completeUpload("k", "u", parts)).etag).toBe(etag);
    expect(asked).toEqual(["POST /b/k?uploadId=u", "POST /b/k?uploadId=u", "HEAD /b/k"]);
  });

  it("does not accept another object of the same key", async () => {
    const { bucket } = lostAnswer("2b8bc5b5b2b36a9a2f6a0c1d2cd3fa14-2");
    const completing = bucket.completeUpload("k", "u", parts);
    await expect(completing).rejects.toMatchObject({ code: "NoSuchUpload" });
  });
});
