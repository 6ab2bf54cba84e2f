/** Wrong answers that the embedded store once gave, over real sockets. */
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createStore } from "../../src/store/index.js";
import { listen } from "../../src/store/node-server.js";
import { makeBucket, sdkFor } from "../support/sdk.js";
import { signed, type SignOptions } from "../support/signed-request.js";
import { type RunningStore, startStore } from "../support/store.js";

const Bucket = "bucket";
let store: RunningStore;
let s3: S3Client;

beforeAll(async () => {
  store = await startStore();
  s3 = sdkFor(store);
  await makeBucket(s3, Bucket);
});
afterAll(() => store.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

async function fetchRaw(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: Uint8Array,
): Promise<Answer> {
  const request = httpRequest(store.endpoint + target, { method, headers, agent: false });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return {
    status: response.statusCode!,
    headers: response.headers,
    text: Buffer.concat(pieces).toString(),
  };
}

async function send(options: Partial<SignOptions>): Promise<Answer> {
  const { host } = new URL(store.endpoint);
  const request = await signed({ credentials: store, host, ...options });
  const target = request.path + (request.query === "" ? "" : `?${request.query}`);
  return fetchRaw(request.method, target, request.headers, request.body as Uint8Array);
}

describe("a name that is not Latin-1 in Content-Disposition", () => {
  it.each([
    'attachment; filename="漢字.pdf"',
    'attachment; filename="é.pdf"',
    "inline; filename=a",
  ])("comes back as it was stored: %s", async (ContentDisposition) => {
    const Key = "named";
    // In process: Node's own client cannot send such a header either.
    const local = createStore({ directory: store.directory });
    const headers = { "content-disposition": ContentDisposition };
    const put = { credentials: store, method: "PUT", target: `/${Bucket}/${Key}`, headers };
    const answer = await local.handler(await signed({ ...put, body: "hello" }));
    expect(answer.status).toBe(200);
    const sent = Buffer.from(ContentDisposition, "utf8").toString("latin1");
    const got = await send({ target: `/${Bucket}/${Key}` });
    expect(got).toMatchObject({ status: 200, text: "hello" });
    expect(got.headers["content-disposition"]).toBe(sent);
    const head = await send({ method: "HEAD", target: `/${Bucket}/${Key}` });
    expect(head.headers["content-disposition"]).toBe(sent);
    const range = await send({ target: `/${Bucket}/${Key}`, headers: { range: "bytes=1-2" } });
    expect(range).toMatchObject({ status: 206, text: "el" });
  });
});

describe("an answer that cannot be put on the wire", () => {
  it("is a reported internal error, and the connection does not end", async () => {
    const reported: unknown[] = [];
    const broken = {
      keys: {} as never,
      handler: async () => ({ status: 200, headers: { "x-bad": "a\nb" }, body: nothing() }),
    };
    const onError = (error: unknown) => void reported.push(error);
    const server = await listen(broken, { host: "127.0.0.1", port: 0, onError });
    const response = await fetch(server.url);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("<Code>InternalError</Code>");
    expect(reported).toHaveLength(1);
    await server.close();
  });
});

describe("a failure of the store's own", () => {
  it("is explained to the store's owner, and to nobody on the network", async () => {
    const reported: unknown[] = [];
    const broken = await startStore({ onError: (error) => reported.push(error) });
    const client = sdkFor(broken);
    await makeBucket(client, Bucket);
    rmSync(join(broken.directory, "held"), { recursive: true });
    const failed = client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "x" }));
    const error = await failed.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "InternalError", $metadata: { httpStatusCode: 500 } });
    expect((error as Error).message).not.toContain(broken.directory);
    expect(String(reported[0])).toContain(broken.directory);
    await broken.close();
  });
});

describe("a header", () => {
  it("of bytes that are not UTF-8 comes back with the same bytes", async () => {
    const text = "Hello World\u00e9";
    const request = await signed({
      credentials: store,
      host: new URL(store.endpoint).host,
      method: "PUT",
      target: `/${Bucket}/latin`,
      headers: { "x-amz-meta-one": text },
      body: "x",
    });
    // Node writes header values as Latin-1: this is the byte E9.
    const put = await fetchRaw("PUT", request.path, request.headers, request.body as Uint8Array);
    expect(put.status).toBe(200);
    const got = await send({ target: `/${Bucket}/latin` });
    expect(got.headers["x-amz-meta-one"]).toBe(text);
  });

  it.each(["constructor", "__proto__"])("called %s breaks nothing", async (name) => {
    const request = await signed({
      credentials: store,
      host: new URL(store.endpoint).host,
      target: `/${Bucket}`,
    });
    const named = request.headers["authorization"]!.replace("host;", `${name};host;`);
    const answers = [
      await fetchRaw("GET", request.path, { ...request.headers, authorization: named }),
      await raw(`GET /${Bucket} HTTP/1.1\r\nhost: h\r\n${name}: x\r\nconnection: close\r\n\r\n`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  });

  it("of metadata may have a name that JavaScript's objects have already", async () => {
    const headers = { "x-amz-meta-__proto__": "v", "x-amz-meta-constructor": "w" };
    await send({ method: "PUT", target: `/${Bucket}/proto`, headers, body: "x" });
    expect((await send({ target: `/${Bucket}/proto` })).headers).toMatchObject(headers);
  });
});

async function raw(text: string): Promise<{ status: number }> {
  const { hostname, port } = new URL(store.endpoint);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (piece: Buffer) => (received += piece.toString("latin1")));
  socket.write(text);
  await once(socket, "close");
  return { status: Number(received.split(" ", 2)[1]) };
}

describe("a checksum that is sent along", () => {
  it.each([
    ["sha512", "AAAA", 400],
    ["sha512", Buffer.alloc(64).toString("base64"), 400],
    ["md5", Buffer.alloc(16).toString("base64"), 400],
    ["xxhash64", "AAAAAAAAAAA=", 501],
    ["xxhash3", "AAAAAAAAAAA=", 501],
    ["xxhash128", "AAAA", 501],
    ["blake3", "AAAA", 400],
    ["foo", "AAAA", 400],
  ])("is checked or refused: %s", async (algorithm, value, status) => {
    const headers = { [`x-amz-checksum-${algorithm}`]: value };
    const target = `/${Bucket}/unchecked`;
    expect(await send({ method: "PUT", target, headers, body: "x" })).toMatchObject({ status });
    expect(await send({ method: "HEAD", target })).toMatchObject({ status: 404 });
  });

  it.each(["sha512", "md5"])("is kept and given back: %s", async (algorithm) => {
    const name = `x-amz-checksum-${algorithm}`;
    const value = createHash(algorithm).update("x").digest("base64");
    const target = `/${Bucket}/checked`;
    const put = await send({ method: "PUT", target, headers: { [name]: value }, body: "x" });
    expect(put).toMatchObject({ status: 200 });
    const headers = { "x-amz-checksum-mode": "ENABLED" };
    expect((await send({ method: "HEAD", target, headers })).headers[name]).toBe(value);
  });

  it("is required of every part where the whole is a checksum of checksums", async () => {
    const Key = "composite";
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: "SHA256" }),
    );
    const target = `/${Bucket}/${Key}?partNumber=1&uploadId=${UploadId}`;
    expect((await send({ method: "PUT", target, body: "x" })).status).toBe(400);
    const part = { Bucket, Key, UploadId, PartNumber: 1 };
    const { ETag, ChecksumSHA256 } = await s3.send(
      new UploadPartCommand({ ...part, Body: "x", ChecksumAlgorithm: "SHA256" }),
    );
    const complete = (checksums: object) =>
      s3.send(
        new CompleteMultipartUploadCommand({
          Bucket,
          Key,
          UploadId,
          MultipartUpload: { Parts: [{ PartNumber: 1, ETag, ...checksums }] },
        }),
      );
    const other = { ChecksumSHA256, ChecksumCRC32: "AAAAAA==" };
    await expect(complete(other)).rejects.toMatchObject({ name: "InvalidPart" });
    await complete({ ChecksumSHA256 });
  });
});

describe("a bucket", () => {
  it("is removed with its unfinished uploads", async () => {
    await makeBucket(s3, "left");
    const upload = { Bucket: "left", Key: "k" };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload));
    await s3.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: "x" }));
    await s3.send(new DeleteBucketCommand({ Bucket: "left" }));
    await makeBucket(s3, "left");
    await expect(
      s3.send(new AbortMultipartUploadCommand({ ...upload, UploadId })),
    ).rejects.toMatchObject({ name: "NoSuchUpload" });
  });

  it("with a policy is reported as public in the form that every SDK reads", async () => {
    const Statement = {
      Effect: "Allow",
      Principal: "*",
      Action: "s3:GetObject",
      Resource: `arn:aws:s3:::${Bucket}/*`,
    };
    const body = JSON.stringify({ Version: "2012-10-17", Statement });
    const target = `/${Bucket}?policy=`;
    expect(await send({ method: "PUT", target, body })).toMatchObject({ status: 204 });
    const { text } = await send({ target: `/${Bucket}?policyStatus=` });
    expect(text).toContain("<IsPublic>true</IsPublic>");
    expect(await send({ method: "DELETE", target })).toMatchObject({ status: 204 });
  });

  it("is made in the region that is asked for", async () => {
    // A try before this one may have left it.
    await s3.send(new DeleteBucketCommand({ Bucket: "far" })).catch(() => undefined);
    await s3.send(
      new CreateBucketCommand({
        Bucket: "far",
        CreateBucketConfiguration: { LocationConstraint: "eu-west-1" },
      }),
    );
    const { LocationConstraint } = await s3.send(new GetBucketLocationCommand({ Bucket: "far" }));
    expect(LocationConstraint).toBe("eu-west-1");
  });

  it.each([
    "policy",
    "cors",
    "lifecycle",
    "website",
    "publicAccessBlock",
    "ownershipControls",
    "encryption",
    "replication",
    "tagging",
  ])("may have its %s removed when there is none", async (name) => {
    const target = `/${Bucket}?${name}=`;
    expect(await send({ method: "DELETE", target })).toMatchObject({ status: 204 });
    const missing = await send({ method: "DELETE", target: `/missing?${name}=` });
    expect(missing).toMatchObject({ status: 404 });
  });

  it.each([
    ["logging", "<BucketLoggingStatus/>", 200],
    ["logging", "<BucketLoggingStatus><LoggingEnabled/></BucketLoggingStatus>", 501],
    ["notification", "<NotificationConfiguration/>", 200],
    [
      "notification",
      "<NotificationConfiguration><QueueConfiguration/></NotificationConfiguration>",
      501,
    ],
    [
      "accelerate",
      "<AccelerateConfiguration><Status>Suspended</Status></AccelerateConfiguration>",
      200,
    ],
    [
      "accelerate",
      "<AccelerateConfiguration><Status>Enabled</Status></AccelerateConfiguration>",
      501,
    ],
    [
      "requestPayment",
      "<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>",
      200,
    ],
    [
      "requestPayment",
      "<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>",
      501,
    ],
  ])("accepts only the value it has already: %s %s", async (name, body, status) => {
    const answer = await send({ method: "PUT", target: `/${Bucket}?${name}=`, body });
    expect(answer).toMatchObject({ status });
  });
});

describe("a document", () => {
  it("of more elements than any operation takes is refused before it is built", async () => {
    const body = `<Tagging>${"<a/>".repeat(130_000)}</Tagging>`;
    const answer = await send({ method: "PUT", target: `/${Bucket}?tagging=`, body });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.text).toContain("MalformedXML");
  });
});

describe("the null version", () => {
  it("is named in the answer to reading or removing it in a bucket that has had versioning", async () => {
    await makeBucket(s3, "suspended");
    const object = { Bucket: "suspended", Key: "k" };
    const status = (Status: "Enabled" | "Suspended") =>
      s3.send(
        new PutBucketVersioningCommand({
          Bucket: "suspended",
          VersioningConfiguration: { Status },
        }),
      );
    expect(
      (await s3.send(new PutObjectCommand({ ...object, Body: "x" }))).VersionId,
    ).toBeUndefined();
    expect((await s3.send(new HeadObjectCommand(object))).VersionId).toBeUndefined();
    await status("Suspended");
    expect(
      (await s3.send(new PutObjectCommand({ ...object, Body: "x" }))).VersionId,
    ).toBeUndefined();
    expect((await s3.send(new HeadObjectCommand(object))).VersionId).toBe("null");
    expect((await s3.send(new GetObjectCommand(object))).VersionId).toBe("null");
    expect(await s3.send(new DeleteObjectCommand(object))).toMatchObject({
      VersionId: "null",
      DeleteMarker: true,
    });
    const named = new DeleteObjectCommand({ ...object, VersionId: "null" });
    expect(await s3.send(named)).toMatchObject({ VersionId: "null" });
  });

  it.each(["GET", "HEAD", "DELETE"])("is not what an invalid id stands for: %s", async (method) => {
    const target = `/${Bucket}/k?versionId=garbage`;
    expect(await send({ method, target })).toMatchObject({ status: 400 });
  });
});

describe("an upload", () => {
  it("that was not begun when the client thinks is not aborted", async () => {
    const upload = { Bucket, Key: "timed" };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload));
    const abort = (IfMatchInitiatedTime: Date) =>
      s3.send(new AbortMultipartUploadCommand({ ...upload, UploadId, IfMatchInitiatedTime }));
    const refused = { $metadata: expect.objectContaining({ httpStatusCode: 412 }) as unknown };
    await expect(abort(new Date(0))).rejects.toMatchObject(refused);
    const listed = await send({ target: `/${Bucket}?uploads=` });
    const [, initiated] = /timed<\/Key>.*?<Initiated>([^<]*)/.exec(listed.text)!;
    await abort(new Date(initiated!));
  });
});

describe("an object", () => {
  it("that is not of the size and time the client thinks is not deleted", async () => {
    const Key = "pinned";
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: "four" }));
    const { LastModified } = await s3.send(new HeadObjectCommand({ Bucket, Key }));
    const refused = { $metadata: expect.objectContaining({ httpStatusCode: 412 }) as unknown };
    const remove = (condition: object) =>
      s3.send(new DeleteObjectCommand({ Bucket, Key, ...condition }));
    await expect(remove({ IfMatchSize: 5 })).rejects.toMatchObject(refused);
    await expect(remove({ IfMatchLastModifiedTime: new Date(0) })).rejects.toMatchObject(refused);
    await s3.send(new GetObjectCommand({ Bucket, Key }));
    await remove({ IfMatchSize: 4, IfMatchLastModifiedTime: LastModified });
    await expect(s3.send(new GetObjectCommand({ Bucket, Key }))).rejects.toThrow();
  });
});

describe("a URL presigned with version 2", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const sign = (method: string, resource: string, expires: number) => {
    const text = `${method}\n\n\n${expires}\n${resource}`;
    const signature = createHmac("sha1", store.secretAccessKey).update(text).digest("base64");
    const [path, query] = resource.split("?") as [string, string | undefined];
    const credentials = `AWSAccessKeyId=${store.accessKeyId}&Signature=${encodeURIComponent(signature)}&Expires=${expires}`;
    return `${path}?${query === undefined ? "" : `${query}&`}${credentials}`;
  };

  it("reads and writes the object it was signed for", async () => {
    const put = sign("PUT", `/${Bucket}/old%20style`, now() + 60);
    expect(await fetchRaw("PUT", put, {}, Buffer.from("v2"))).toMatchObject({ status: 200 });
    const get = sign("GET", `/${Bucket}/old%20style`, now() + 60);
    expect(await fetchRaw("GET", get)).toMatchObject({ status: 200, text: "v2" });
    const tags = sign("GET", `/${Bucket}/old%20style?tagging`, now() + 60);
    expect(await fetchRaw("GET", tags)).toMatchObject({ status: 200 });
  });

  it.each([
    ["another method", () => ["DELETE", sign("GET", `/${Bucket}/k`, now() + 60)]],
    ["another key", () => ["GET", sign("GET", `/${Bucket}/k`, now() + 60).replace("/k?", "/j?")]],
    ["later", () => ["GET", sign("GET", `/${Bucket}/k`, now() - 5)]],
    ["longer", () => ["GET", sign("GET", `/${Bucket}/k`, now() - 5).replace(/\d+$/, "9999999999")]],
    ["a subresource", () => ["GET", `${sign("GET", `/${Bucket}/k`, now() + 60)}&acl`]],
    ["an ACL", () => ["PUT", `${sign("PUT", `/${Bucket}/k`, now() + 60)}&x-amz-acl=public-read`]],
    ["the same twice", () => ["GET", `${sign("GET", `/${Bucket}/k`, now() + 60)}&Expires=1`]],
  ])("is refused for %s", async (_, make) => {
    const [method, target] = make() as [string, string];
    expect(await fetchRaw(method, target)).toMatchObject({ status: 403 });
  });

  it("is refused with a header that was not signed", async () => {
    const put = sign("PUT", `/${Bucket}/k`, now() + 60);
    const answer = await fetchRaw("PUT", put, { "x-amz-meta-a": "b" }, Buffer.from("x"));
    expect(answer).toMatchObject({ status: 403 });
  });
});

async function* nothing(): AsyncGenerator<Uint8Array> {}
