import { Readable } from "node:stream";

import {
  GetBucketVersioningCommand,
  ListBucketsCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { expect, it } from "vitest";

import { toAppError } from "../../../../src/core/failures/map.js";
import { GOOGLE_DIALECT } from "../../../../src/protocol/dialect.js";
import { bodyOf, client, s3Error, serve } from "./support.js";

const BUCKETS = `<?xml version="1.0"?><ListAllMyBucketsResult><Buckets><Bucket><Name>b</Name><CreationDate>2026-01-02T03:04:05.000Z</CreationDate></Bucket></Buckets></ListAllMyBucketsResult>`;

it("the SDK's client lists buckets through the layer's signer and connections", async () => {
  const origin = await serve((request, response) => {
    expect(request.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=\S*host;x-amz-content-sha256;x-amz-date/,
    );
    response.writeHead(200, { "content-type": "application/xml" }).end(BUCKETS);
  });
  const sdk = await client(origin).sdk();
  const { Buckets } = await sdk.send(new ListBucketsCommand({}));
  expect(Buckets).toEqual([{ Name: "b", CreationDate: new Date("2026-01-02T03:04:05Z") }]);
});

it("the SDK's requests are addressed, retried and corrected like all others", async () => {
  const seen: string[] = [];
  const origin = await serve((request, response) => {
    seen.push(`${request.method} ${request.headers.host} ${request.url}`);
    if (seen.length === 1) s3Error(response, 503, "SlowDown");
    else if (seen.length === 2) {
      s3Error(response, 400, "AuthorizationHeaderMalformed", "<Region>eu-1</Region>");
    } else {
      expect(request.headers.authorization).toContain("/eu-1/s3/");
      response.end("<VersioningConfiguration/>");
    }
  });
  const sdk = await client(origin).sdk();
  await sdk.send(new GetBucketVersioningCommand({ Bucket: "my-b" }));
  const { host } = new URL(origin);
  expect(seen).toEqual(Array(3).fill(`GET ${host} /my-b?versioning=`));
});

it("vendor headers are respelled in both directions", async () => {
  const origin = await serve((request, response) => {
    expect(request.headers["x-goog-meta-a"]).toBe("b");
    expect(request.headers["x-goog-storage-class"]).toBe("COLDLINE");
    expect(Object.keys(request.headers).filter((name) => name.includes("amz"))).toEqual([]);
    void bodyOf(request).then((body) => {
      expect(body.toString()).toBe("hello");
      response.setHeader("x-goog-version-id", "v1").end();
    });
  });
  const sdk = await client(origin, { dialect: GOOGLE_DIALECT }).sdk();
  const { VersionId } = await sdk.send(
    new PutObjectCommand({
      Bucket: "b",
      Key: "a/é b",
      Body: "hello",
      Metadata: { a: "b" },
      StorageClass: "COLDLINE" as "STANDARD",
    }),
  );
  expect(VersionId).toBe("v1");
});

it("an exception of the SDK becomes an AppError with the service's code", async () => {
  const origin = await serve((_request, response) => s3Error(response, 404, "NoSuchBucket"));
  const sdk = await client(origin).sdk();
  const failed = sdk.send(new GetBucketVersioningCommand({ Bucket: "b" }));
  const error = toAppError(await failed.catch((reason: unknown) => reason), "b");
  expect(error).toMatchObject({ kind: "not-found", code: "NoSuchBucket" });
  expect(error.details).toMatchObject({ status: 404, requestId: "REQ1" });
});

it("an AppError of the layer passes through the SDK as it is", async () => {
  const sdk = await client("http://127.0.0.1:1", {}, { maxAttempts: 1 }).sdk();
  await expect(sdk.send(new ListBucketsCommand({}))).rejects.toMatchObject({
    name: "AppError",
    code: "ECONNREFUSED",
  });
});

it("a request with an XML body carries its length and checksum", async () => {
  const origin = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      expect(request.headers["content-length"]).toBe(String(body.length));
      expect(body.toString()).toContain("<Key>k</Key><Value>v</Value>");
      response.writeHead(204).end();
    });
  });
  const sdk = await client(origin).sdk();
  const tags = { TagSet: [{ Key: "k", Value: "v" }] };
  await sdk.send(new PutBucketTaggingCommand({ Bucket: "b", Tagging: tags }));
});

it("a stream goes out once, its length declared", async () => {
  const origin = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      expect(request.headers["content-length"]).toBe("300000");
      expect(request.headers["x-amz-content-sha256"]).toBe("UNSIGNED-PAYLOAD");
      expect(body.length).toBe(300_000);
      response.end();
    });
  });
  const sdk = await client(origin).sdk();
  const body = Readable.from([Buffer.alloc(100_000), Buffer.alloc(200_000)]);
  await sdk.send(
    new PutObjectCommand({ Bucket: "b", Key: "k", Body: body, ContentLength: 300_000 }),
  );
});
