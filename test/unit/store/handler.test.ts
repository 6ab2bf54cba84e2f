/** The handler's answers to requests that no SDK would send, in process. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Dialect } from "../../../src/protocol/dialect.js";
import { readAll } from "../../../src/protocol/message.js";
import { childText, parseXml } from "../../../src/protocol/xml.js";
import { createStore, type Store } from "../../../src/store/index.js";
import type { AccessKey } from "../../../src/store/keys.js";
import {
  answerOf,
  presigned,
  signed,
  type SignOptions,
  unsignedChunks,
} from "../../support/signed-request.js";

const directory = mkdtempSync(join(tmpdir(), "pail-handler-"));
let store: Store;
let credentials: AccessKey;

beforeAll(async () => {
  store = createStore({ directory });
  credentials = await store.keys.first();
  await send({ method: "PUT", target: "/bucket" });
  await send({ method: "PUT", target: "/bucket/key", body: "0123456789" });
});
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

async function send(options: Partial<SignOptions>) {
  const request = await signed({ credentials, ...options });
  const response = await store.handler(request);
  return { headers: response.headers, ...(await answerOf(response)) };
}

describe("an error", () => {
  it("is a document that names itself, the resource and the request", async () => {
    const { status, headers, text } = await send({ target: "/bucket/none" });
    expect(status).toBe(404);
    expect(headers["content-type"]).toBe("application/xml");
    const error = parseXml(text);
    expect(error.children.map(({ name }) => name)).toEqual([
      "Code",
      "Message",
      "Key",
      "Resource",
      "RequestId",
      "HostId",
    ]);
    expect(childText(error, "Resource")).toBe("/bucket/none");
    expect(childText(error, "RequestId")).toBe(headers["x-amz-request-id"]);
    expect(childText(error, "HostId")).toBe(headers["x-amz-id-2"]);
  });

  it("has no body in answer to HEAD", async () => {
    const { status, text, headers } = await send({ method: "HEAD", target: "/bucket/none" });
    expect({ status, text }).toEqual({ status: 404, text: "" });
    expect(headers["x-amz-request-id"]).toMatch(/^[\dA-F]{16}$/);
  });

  it("of the store's own is a 500, and its cause is reported", async () => {
    const broken = mkdtempSync(join(tmpdir(), "pail-broken-"));
    const reported: unknown[] = [];
    const other = createStore({ directory: broken, onError: (error) => reported.push(error) });
    await other.keys.first();
    writeFileSync(join(broken, "keys.json"), "not JSON");
    const fresh = createStore({ directory: broken, onError: (error) => reported.push(error) });
    const response = await fresh.handler(await signed({ credentials }));
    expect(await answerOf(response)).toMatchObject({ status: 500, code: "InternalError" });
    expect(reported).toHaveLength(1);
    rmSync(broken, { recursive: true, force: true, maxRetries: 5 });
  });
});

describe("an unimplemented request is refused", () => {
  it.each([
    ["GET", "/bucket?analytics="],
    ["PUT", "/bucket?website="],
    ["PUT", "/bucket?encryption="],
    ["PUT", "/bucket?replication="],
    ["PUT", "/bucket?object-lock="],
    ["GET", "/bucket/key?torrent="],
    ["POST", "/bucket/key?select="],
    ["POST", "/bucket/key?restore="],
    ["PUT", "/bucket/key?retention="],
  ])("%s %s", async (method, target) => {
    expect(await send({ method, target })).toMatchObject({ status: 501, code: "NotImplemented" });
  });

  it.each([
    ["x-amz-server-side-encryption", "aws:kms"],
    ["x-amz-server-side-encryption", "AES256"],
    ["x-amz-checksum-xxhash64", "AAAAAAAAAAA="],
    ["x-amz-object-lock-mode", "GOVERNANCE"],
    ["x-amz-website-redirect-location", "/x"],
  ])("a write with %s: %s, and nothing is written", async (name, value) => {
    const target = `/bucket/refused-${name}`;
    const written = await send({ method: "PUT", target, headers: { [name]: value }, body: "x" });
    expect(written).toMatchObject({ status: 501, code: "NotImplemented" });
    expect(await send({ method: "HEAD", target })).toMatchObject({ status: 404 });
  });
});

describe("a bucket that was never configured", () => {
  it.each([
    ["policy", "NoSuchBucketPolicy"],
    ["cors", "NoSuchCORSConfiguration"],
    ["lifecycle", "NoSuchLifecycleConfiguration"],
    ["object-lock", "ObjectLockConfigurationNotFoundError"],
    ["encryption", "ServerSideEncryptionConfigurationNotFoundError"],
    ["website", "NoSuchWebsiteConfiguration"],
    ["replication", "ReplicationConfigurationNotFoundError"],
    ["publicAccessBlock", "NoSuchPublicAccessBlockConfiguration"],
    ["ownershipControls", "OwnershipControlsNotFoundError"],
    ["tagging", "NoSuchTagSet"],
  ])("answers %s with %s", async (subresource, code) => {
    const target = `/bucket?${subresource}=`;
    expect(await send({ target })).toMatchObject({ status: 404, code });
    const none = await send({ target: `/no-bucket?${subresource}=` });
    expect(none).toMatchObject({ status: 404, code: "NoSuchBucket" });
  });

  it("belongs to its owner alone", async () => {
    for (const target of ["/bucket?acl=", "/bucket/key?acl="]) {
      const { status, text } = await send({ target });
      expect(status).toBe(200);
      expect(text).toContain("<Permission>FULL_CONTROL</Permission>");
    }
    const headers = { "x-amz-acl": "private" };
    expect(await send({ method: "PUT", target: "/bucket?acl=", headers })).toMatchObject({
      status: 200,
    });
  });

  it("refuses every preflight", async () => {
    const headers = {
      host: "h",
      origin: "http://page.test",
      "access-control-request-method": "GET",
    };
    const request = await signed({ method: "OPTIONS", target: "/bucket/key", credentials });
    const answer = await answerOf(await store.handler({ ...request, headers }));
    expect(answer).toMatchObject({ status: 403, code: "AccessForbidden" });
  });
});

describe("a request", () => {
  it.each([
    ["a percent sign that encodes nothing", "/bucket/a%zz", "InvalidURI"],
    ["a key that is not UTF-8", "/bucket/%FF", "InvalidURI"],
    ["a key of 1025 bytes", `/bucket/${"x".repeat(1025)}`, "KeyTooLongError"],
    ["a key of 1026 bytes in 513 characters", `/bucket/${"%C3%A9".repeat(513)}`, "KeyTooLongError"],
    ["a bucket that cannot be", "/Bad_Bucket/key", "InvalidBucketName"],
    ["a bucket that would leave the directory", "/../key", "InvalidBucketName"],
    ["an empty bucket", "//key", "InvalidBucketName"],
  ])("with %s is refused", async (_, target, code) => {
    const request = await signed({ credentials, target: "/" });
    const answer = await answerOf(await store.handler({ ...request, path: target }));
    // The URI is read before the signature, the bucket's name after it.
    if (code !== "InvalidBucketName") expect(answer).toMatchObject({ status: 400, code });
    const whole = await signed({ credentials, target });
    if (code === "InvalidBucketName") {
      expect(await answerOf(await store.handler(whole))).toMatchObject({ status: 400, code });
    }
  });

  it.each(["versionId=null", "partNumber=1"])("to write with %s is refused", async (query) => {
    const target = `/bucket/selected?${query}`;
    const written = await send({ method: "PUT", target, body: "x" });
    expect(written).toMatchObject({ status: 400, code: "InvalidArgument" });
  });

  it("is answered whatever region it is signed for", async () => {
    expect(await send({ target: "/bucket", region: "eu-1" })).toMatchObject({ status: 200 });
    const url = await presigned({ credentials, target: "/bucket/key", region: "auto" });
    expect(await answerOf(await store.handler(url))).toMatchObject({ status: 200 });
  });

  it("signed for another region than the store's is refused with the right one, in a header too", async () => {
    const own = createStore({ directory, region: "us-east-1" });
    const options = { credentials, method: "HEAD", target: "/bucket", region: "eu-1" };
    const { status, headers } = await own.handler(await signed(options));
    expect(status).toBe(400);
    expect(headers["x-amz-bucket-region"]).toBe("us-east-1");
  });

  it("to list keys encoded gets encoded keys, spaces and plus signs too", async () => {
    await send({ method: "PUT", target: "/bucket/enc/a%20b%2Bc%0A%C3%A9", body: "" });
    const { text } = await send({ target: "/bucket?encoding-type=url&prefix=enc%2Fa%20" });
    expect(text).toContain("<Key>enc/a%20b%2Bc%0A%C3%A9</Key>");
    expect(text).toContain("<Prefix>enc/a%20</Prefix>");
  });

  it("without a body but with another body's hash is refused", async () => {
    const answer = await send({ target: "/bucket", payloadHash: "a".repeat(64) });
    expect(answer).toMatchObject({ code: "XAmzContentSHA256Mismatch" });
  });

  it("of an unknown method, or for two subresources, is refused", async () => {
    expect(await send({ method: "PATCH", target: "/bucket/key" })).toMatchObject({ status: 405 });
    const two = await send({ target: "/bucket?location=&versioning=" });
    expect(two).toMatchObject({ status: 400, code: "InvalidArgument" });
  });

  it("for somebody else's bucket is refused", async () => {
    const headers = { "x-amz-expected-bucket-owner": "111122223333" };
    expect(await send({ target: "/bucket", headers })).toMatchObject({ code: "AccessDenied" });
  });

  it.each([
    ["max-keys=-1", "InvalidArgument"],
    ["max-keys=x", "InvalidArgument"],
    ["encoding-type=x", "InvalidArgument"],
    ["continuation-token=nonsense&list-type=2", "InvalidArgument"],
    ["list-type=1", "InvalidArgument"],
    ["version-id-marker=x&versions=", "InvalidArgument"],
  ])("to list with %s is refused", async (query, code) => {
    expect(await send({ target: `/bucket?${query}` })).toMatchObject({ status: 400, code });
  });

  it("to list nothing lists nothing", async () => {
    const { status, text } = await send({ target: "/bucket?list-type=2&max-keys=0" });
    expect(status).toBe(200);
    expect(text).toContain("<IsTruncated>false</IsTruncated>");
    expect(text).not.toContain("<Contents>");
  });

  it("to write an object larger than 5 GiB at once is refused before it is read", async () => {
    const headers = { "content-length": String(5 * 1024 ** 3 + 1) };
    const payloadHash = "UNSIGNED-PAYLOAD";
    const answer = await send({ method: "PUT", target: "/bucket/big", headers, payloadHash });
    expect(answer).toMatchObject({ code: "EntityTooLarge" });
  });

  it("with more than 2 KB of metadata, or an unknown storage class, is refused", async () => {
    const write = (headers: Record<string, string>) =>
      send({ method: "PUT", target: "/bucket/k", headers, body: "x" });
    expect(await write({ "x-amz-meta-a": "x".repeat(2047) })).toMatchObject({ status: 200 });
    expect(await write({ "x-amz-meta-a": "x".repeat(2048) })).toMatchObject({
      code: "MetadataTooLarge",
    });
    expect(await write({ "x-amz-storage-class": "MAGNETIC" })).toMatchObject({
      code: "InvalidStorageClass",
    });
  });
});

describe("DeleteObjects", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    send({ method: "POST", target: "/bucket?delete=", body, headers });

  it.each([
    ["no document", ""],
    ["a document that is not XML", "{}"],
    ["a document of something else", "<Other/>"],
    ["no object", "<Delete></Delete>"],
    ["an object without a key", "<Delete><Object><VersionId>1</VersionId></Object></Delete>"],
    ["1001 objects", `<Delete>${"<Object><Key>k</Key></Object>".repeat(1001)}</Delete>`],
    ["a document type", `<!DOCTYPE a []><Delete><Object><Key>k</Key></Object></Delete>`],
  ])("with %s is refused", async (_, body) => {
    const { createHash } = await import("node:crypto");
    const md5 = createHash("md5").update(body).digest("base64");
    expect(await post(body, { "content-md5": md5 })).toMatchObject({ code: "MalformedXML" });
  });

  it("without a checksum is refused", async () => {
    const body = "<Delete><Object><Key>k</Key></Object></Delete>";
    expect(await post(body)).toMatchObject({ status: 400, code: "InvalidRequest" });
  });

  it("reports each failure and goes on, and when quiet reports only failures", async () => {
    const { createHash } = await import("node:crypto");
    const run = (quiet: boolean) => {
      const body = `<Delete><Quiet>${quiet}</Quiet><Object><Key>${"x".repeat(1025)}</Key></Object><Object><Key>gone</Key></Object></Delete>`;
      const md5 = createHash("md5").update(body).digest("base64");
      return post(body, { "content-md5": md5 });
    };
    const loud = parseXml((await run(false)).text);
    expect(loud.children.map(({ name }) => name)).toEqual(["Error", "Deleted"]);
    const quiet = parseXml((await run(true)).text);
    expect(quiet.children.map(({ name }) => name)).toEqual(["Error"]);
  });
});

describe("conditions and ranges", () => {
  const old = "Thu, 01 Jan 2015 00:00:00 GMT";
  const future = new Date(Date.now() + 86_400_000).toUTCString();

  it.each([
    [{ "if-match": "*" }, 200],
    [{ "if-match": '"other"' }, 412],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"other"' }, 200],
    [{ "if-modified-since": old }, 200],
    [{ "if-modified-since": future }, 304],
    [{ "if-unmodified-since": old }, 412],
    [{ "if-unmodified-since": future }, 200],
    [{ "if-match": "*", "if-unmodified-since": old }, 200],
    [{ "if-none-match": '"other"', "if-modified-since": future }, 200],
    [{ "if-match": '"other"', "if-none-match": "*" }, 412],
    [{ "if-modified-since": "nonsense" }, 200],
  ])("with %j a read answers %i", async (headers, status) => {
    expect(await send({ target: "/bucket/key", headers })).toMatchObject({ status });
    expect(await send({ method: "HEAD", target: "/bucket/key", headers })).toMatchObject({
      status,
    });
  });

  it.each([
    ["bytes=0-0", 206, "0"],
    ["bytes=3-", 206, "3456789"],
    ["bytes=-2", 206, "89"],
    ["bytes=-99", 206, "0123456789"],
    ["bytes=5-4", 200, "0123456789"],
    ["bytes=0-1,3-4", 200, "0123456789"],
    ["lines=0-1", 200, "0123456789"],
    ["bytes=-", 200, "0123456789"],
  ])("Range: %s answers %i %s", async (range, status, text) => {
    const answer = await send({ target: "/bucket/key", headers: { range } });
    expect(answer).toMatchObject({ status, text });
    expect(answer.headers["content-length"]).toBe(String(text.length));
  });

  it.each(["bytes=10-", "bytes=99-100", "bytes=-0"])("Range: %s is ignored", async (range) => {
    const answer = await send({ target: "/bucket/key", headers: { range } });
    expect(answer).toMatchObject({ status: 416, code: "InvalidRange" });
    expect(answer.headers["content-range"]).toBe("bytes */10");
  });

  it("If-Range reads the range of the named state, or the whole of another", async () => {
    const { headers } = await send({ method: "HEAD", target: "/bucket/key" });
    const read = (ifRange: string) =>
      send({ target: "/bucket/key", headers: { range: "bytes=0-0", "if-range": ifRange } });
    expect(await read(headers["etag"]!)).toMatchObject({ status: 206 });
    expect(await read(headers["last-modified"]!)).toMatchObject({ status: 206 });
    expect(await read('"other"')).toMatchObject({ status: 200 });
  });
});

describe("addressing", () => {
  it.each([
    ["bucket.localhost:9000", "/key"],
    ["bucket.s3.localhost", "/key"],
    ["localhost:9000", "/bucket/key"],
    ["s3.localhost:9000", "/bucket/key"],
    ["192.168.1.1", "/bucket/key"],
  ])("finds the object at http://%s%s", async (host, target) => {
    expect(await send({ host, target })).toMatchObject({ status: 200, text: "0123456789" });
  });

  it("keeps a slash that begins a key", async () => {
    const host = "bucket.localhost";
    await send({ method: "PUT", host, target: "//lead", body: "slash" });
    expect(await send({ target: "/bucket//lead" })).toMatchObject({ text: "slash" });
  });
});

describe("an invented dialect", () => {
  const dialect: Dialect = {
    scheme: "ACME1",
    infix: "acme",
    service: "blob",
    terminator: "acme_end",
  };

  it("is spoken in every header, both ways", async () => {
    const acme = createStore({ directory, dialect, region: "mars-1" });
    const ask = async (options: Partial<SignOptions>) =>
      acme.handler(await signed({ credentials, dialect, region: "mars-1", ...options }));
    const headers = {
      "x-acme-meta-color": "red",
      "x-acme-storage-class": "STANDARD_IA",
      "x-acme-tagging": "a=b",
      "x-acme-decoded-content-length": "5",
      "x-acme-trailer": "x-acme-checksum-crc32",
      "content-encoding": "aws-chunked",
    };
    const body = unsignedChunks([Buffer.from("hello")], ["x-acme-checksum-crc32", "NhCmhg=="]);
    const request = await signed({
      credentials,
      dialect,
      region: "mars-1",
      method: "PUT",
      target: "/bucket/acme",
      headers,
      payloadHash: "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    });
    expect((await acme.handler({ ...request, body })).status).toBe(200);
    const read = await ask({
      target: "/bucket/acme",
      headers: { "x-acme-checksum-mode": "ENABLED" },
    });
    expect((await readAll(read.body, 100)).toString()).toBe("hello");
    expect(read.headers).toMatchObject({
      "x-acme-meta-color": "red",
      "x-acme-storage-class": "STANDARD_IA",
      "x-acme-tagging-count": "1",
      "x-acme-checksum-crc32": "NhCmhg==",
      "x-acme-request-id": expect.any(String) as string,
    });
    expect(Object.keys(read.headers).filter((name) => name.startsWith("x-amz-"))).toEqual([]);
    const copy = await ask({
      method: "PUT",
      target: "/bucket/acme-copy",
      headers: { "x-acme-copy-source": "/bucket/acme" },
    });
    expect(copy.status).toBe(200);
    const sent = await ask({ target: "/bucket/acme", headers: { "x-amz-meta-a": "ignored" } });
    expect(sent.status).toBe(200);
  });
});

describe("a presigned URL", () => {
  it("reads, writes, and carries vendor headers as parameters", async () => {
    const put = await presigned({
      credentials,
      method: "PUT",
      target: "/bucket/presigned?x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-meta-a=1",
      body: "hello",
    });
    // The checksum is that of an empty body, as signers write it; S3 ignores it there.
    expect((await store.handler(put)).status).toBe(200);
    const get = await presigned({
      credentials,
      target: "/bucket/presigned?response-content-type=text%2Fcsv",
    });
    const response = await store.handler(get);
    expect((await readAll(response.body, 100)).toString()).toBe("hello");
    expect(response.headers).toMatchObject({
      "content-type": "text/csv",
      "x-amz-meta-a": "1",
    });
  });
});

describe("a value that no header could give back is refused", () => {
  it.each([
    ["GET", "/bucket/key?response-content-type=a%0Ab"],
    ["GET", "/bucket/key?response-content-disposition=%00"],
    ["PUT", "/bucket/odd?x-amz-meta-a=b%0D%0Ax-evil%3A%201"],
    ["PUT", "/bucket/odd?x-amz-meta-a%20b=c"],
  ])("%s %s", async (method, target) => {
    const body = method === "PUT" ? "x" : undefined;
    const request = await presigned({ credentials, method, target, body });
    const answer = await answerOf(await store.handler(request));
    expect(answer).toMatchObject({ status: 400, code: "InvalidArgument" });
  });
});

describe("in process", () => {
  it("a failure of the caller's own body reaches the caller, and nothing is written", async () => {
    const failure = new Error("the source failed");
    const request = await signed({
      method: "PUT",
      target: "/bucket/failed",
      credentials,
      payloadHash: "UNSIGNED-PAYLOAD",
      headers: { "content-length": "10" },
    });
    const open = async function* () {
      yield Buffer.from("01234");
      throw failure;
    };
    await expect(store.handler({ ...request, body: { length: 10, open } })).rejects.toBe(failure);
    expect(await send({ method: "HEAD", target: "/bucket/failed" })).toMatchObject({ status: 404 });
  });

  it("an abort ends a request whose body never comes, with the signal's reason", async () => {
    const request = await signed({
      method: "PUT",
      target: "/bucket/aborted",
      credentials,
      payloadHash: "UNSIGNED-PAYLOAD",
      headers: { "content-length": "10" },
    });
    const controller = new AbortController();
    const reason = new Error("enough");
    const open = async function* () {
      yield Buffer.from("01234");
      controller.abort(reason);
      await new Promise(() => undefined);
    };
    const work = store.handler(
      { ...request, body: { length: 10, open } },
      { signal: controller.signal },
    );
    await expect(work).rejects.toBe(reason);
  });

  it("an abort ends the reading of a response", async () => {
    const controller = new AbortController();
    const request = await signed({ target: "/bucket/key", credentials });
    const response = await store.handler(request, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(readAll(response.body, 100)).rejects.toThrow("enough");
  });

  it("sent bytes are counted as they are taken", async () => {
    const counts: number[] = [];
    const request = await signed({
      method: "PUT",
      target: "/bucket/counted",
      credentials,
      body: "hello",
    });
    await store.handler(request, { onSent: (count) => counts.push(count) });
    expect(counts).toEqual([5]);
  });
});
