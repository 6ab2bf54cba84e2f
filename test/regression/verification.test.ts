/** Bytes that arrive wrong must never pass as right, in any direction. */
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openBucket } from "../../src/core/storage/s3.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { copy } from "../../src/core/operations/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import type { HttpHandler } from "../../src/protocol/message.js";
import { pseudoRandom, startBucket, type TestBucket } from "../support/bucket.js";
import { clientFor } from "../support/client.js";

const SIZE = 11 * MIB;
const partSize = 5 * MIB;

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

/** The bucket through a wire that flips a bit of every body with more than a part of an object. */
function flipped(edit: (headers: Record<string, string>) => void): Promise<BucketStorage> {
  return bucket.through((inner) => async (request, options) => {
    const response = await inner(request, options);
    const headers = { ...response.headers };
    edit(headers);
    if (request.method !== "GET" || request.query.includes("=")) return { ...response, headers };
    const body = (async function* () {
      let position = 0;
      for await (const chunk of response.body) {
        const copied = Buffer.from(chunk);
        if (position === 0 && copied.length > 0) copied[0]! ^= 1;
        position += copied.length;
        yield copied;
      }
    })();
    return { ...response, headers, body };
  });
}

const withoutChecksums = (headers: Record<string, string>): void => {
  for (const name of Object.keys(headers)) {
    if (name.startsWith("x-amz-checksum-")) delete headers[name];
  }
};

async function put(key: string, kind: string): Promise<(headers: Record<string, string>) => void> {
  if (kind === "md5") {
    await bucket.put(key, pseudoRandom(SIZE));
    return withoutChecksums;
  }
  const path = bucket.file(`from-${key}`, pseudoRandom(SIZE));
  const checksum = kind === "composite" ? "SHA256" : "CRC32";
  await copy({ sources: [{ type: "path", path }], target: bucket.at(key), checksum, partSize });
  return () => undefined;
}

describe.each(["whole", "composite", "md5"])("an object with a checksum of the kind %s", (kind) => {
  it("is found out on its way to a file, a stream and another service", async () => {
    const storage = await flipped(await put("k", kind));
    const source = { ...bucket.at("k"), storage };
    const path = join(bucket.directory, "out");
    const mismatch = [{ error: { code: "ChecksumMismatch" } }];

    expect(
      await copy({ sources: [source], target: { type: "path", path }, partSize }),
    ).toMatchObject({
      failures: mismatch,
    });
    expect(existsSync(path)).toBe(false);

    const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
    expect(
      await copy({ sources: [source], target: { type: "stdio", stream }, partSize }),
    ).toMatchObject({
      failures: mismatch,
    });

    const relayed = await copy({ sources: [source], target: bucket.at("relayed"), partSize });
    expect(relayed).toMatchObject({ failures: mismatch });
    expect(await bucket.keys()).toEqual(["k"]);
  });

  it("passes when its bytes are those that were stored", async () => {
    const edit = await put("k", kind);
    const storage = await bucket.through((inner) => async (request, options) => {
      const response = await inner(request, options);
      const headers = { ...response.headers };
      edit(headers);
      return { ...response, headers };
    });
    const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
    const source = { ...bucket.at("k"), storage };
    const streamed = await copy({ sources: [source], target: { type: "stdio", stream }, partSize });
    const relayed = await copy({ sources: [source], target: bucket.at("relayed"), partSize });
    expect([...streamed.failures, ...relayed.failures]).toEqual([]);
    expect((await bucket.get("relayed")).equals(pseudoRandom(SIZE))).toBe(true);
  });
});

it("finds unequal parts of an object on a service that does not list them", async () => {
  const storage = bucket.at("k").storage;
  const uploadId = await storage.createUpload("k", {
    checksumAlgorithm: "SHA256",
    checksumType: "COMPOSITE",
  });
  const pieces = [9, 6, 8].map((size) => pseudoRandom(size * MIB));
  const parts = [];
  for (const [i, bytes] of pieces.entries()) {
    const value = hash("sha256", bytes, "base64");
    const checksum = { algorithm: "SHA256", value } as const;
    const { etag } = await storage.uploadPart("k", uploadId, i + 1, bytes, { checksum });
    parts.push({ partNumber: i + 1, etag, checksum });
  }
  await storage.completeUpload("k", uploadId, parts, {});

  const plain = await bucket.through((inner) => async (request, options) => {
    if (!request.query.startsWith("attributes")) return await inner(request, options);
    return { status: 501, headers: {}, body: (async function* () {})() };
  });
  const path = join(bucket.directory, "out");
  const source = { ...bucket.at("k"), storage: plain };
  const report = await copy({ sources: [source], target: { type: "path", path } });
  expect(report.failures).toEqual([]);
  expect(readFileSync(path).equals(Buffer.concat(pieces))).toBe(true);
});

function answering(handler: HttpHandler): BucketStorage {
  return openBucket(clientFor({ handler }), "bucket");
}

it("refuses an answer with a range that was not asked for", async () => {
  const storage = answering(async () => ({
    status: 206,
    headers: { "content-length": "3", "content-range": "bytes 0-2/9", etag: '"e"' },
    body: (async function* () {
      yield Buffer.from("abc");
    })(),
  }));
  const read = storage.read("k", { range: { start: 3, end: 5 } });
  await expect(read).rejects.toMatchObject({ code: "InvalidResponse" });
});

it("makes no empty copy of an object whose size the service does not tell", async () => {
  await bucket.put("k", "content");
  const storage = await bucket.through((inner) => async (request, options) => {
    const response = await inner(request, options);
    const headers = { ...response.headers, etag: '"no-md5-1"' };
    withoutChecksums(headers);
    delete (headers as Record<string, string>)["content-length"];
    return { ...response, headers };
  });
  const report = await copy({
    sources: [{ ...bucket.at("k"), storage }],
    target: bucket.at("copied"),
  });
  expect(report.failures).toMatchObject([{ error: { code: "InvalidResponse" } }]);
  expect(await bucket.keys()).toEqual(["k"]);
});
