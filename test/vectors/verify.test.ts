/**
 * Amazon's published examples of Signature V4 for S3, checked by the verifier
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html,
 * …/sigv4-query-string-auth.html, …/sigv4-streaming.html, …/sigv4-streaming-trailers.html).
 */
import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import { AWS_DIALECT } from "../../src/protocol/dialect.js";
import { type HttpRequest, readAll } from "../../src/protocol/message.js";
import { openBody } from "../../src/store/body/body.js";
import { parseRequest } from "../../src/store/request.js";
import { createVerifier } from "../../src/store/verify/verify.js";

const KEY = "AKIAIOSFODNN7EXAMPLE";
const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const CREDENTIAL = `${KEY}/20130524/us-east-1/s3/aws4_request`;

const verify = createVerifier({
  dialect: AWS_DIALECT,
  region: "us-east-1",
  now: () => Date.UTC(2013, 4, 24),
  keyOf: async (accessKeyId) => (accessKeyId === KEY ? { secretAccessKey: SECRET } : undefined),
});

function request(
  method: string,
  target: string,
  headers: Record<string, string>,
  signature?: string,
): HttpRequest {
  const [path, query = ""] = target.split("?") as [string, string?];
  const all: Record<string, string> = { host: "examplebucket.s3.amazonaws.com", ...headers };
  if (signature !== undefined) {
    const signed = Object.keys(all).sort().join(";");
    all["authorization"] =
      `AWS4-HMAC-SHA256 Credential=${CREDENTIAL},SignedHeaders=${signed},Signature=${signature}`;
  }
  return { method, origin: `http://${all["host"]}`, path, query, headers: all };
}

const get = { "x-amz-content-sha256": EMPTY, "x-amz-date": "20130524T000000Z" };

const HEADER_EXAMPLES: [string, HttpRequest][] = [
  [
    "GET Object",
    request(
      "GET",
      "/test.txt",
      { range: "bytes=0-9", ...get },
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ),
  ],
  [
    "PUT Object",
    request(
      "PUT",
      "/test%24file.text",
      {
        date: "Fri, 24 May 2013 00:00:00 GMT",
        "x-amz-date": "20130524T000000Z",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
        "x-amz-content-sha256": createHash("sha256").update("Welcome to Amazon S3.").digest("hex"),
      },
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ),
  ],
  [
    "GET Bucket Lifecycle",
    request(
      "GET",
      "/?lifecycle",
      get,
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ),
  ],
  [
    "GET Bucket (List Objects)",
    request(
      "GET",
      "/?max-keys=2&prefix=J",
      get,
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ),
  ],
];

const PRESIGNED = request(
  "GET",
  `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(CREDENTIAL)}` +
    "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
    "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  {},
);

describe("Amazon's examples of signed headers", () => {
  it.each(HEADER_EXAMPLES)("are verified: %s", async (_, example) => {
    await expect(verify(example)).resolves.toMatchObject({ accessKeyId: KEY });
  });

  it.each(HEADER_EXAMPLES)("are refused when the path differs: %s", async (_, example) => {
    const other = { ...example, path: `${example.path}x` };
    await expect(verify(other)).rejects.toMatchObject({ code: "SignatureDoesNotMatch" });
  });
});

describe("Amazon's example of a presigned URL", () => {
  it("is verified", async () => {
    await expect(verify(PRESIGNED)).resolves.toMatchObject({
      accessKeyId: KEY,
      payloadHash: "UNSIGNED-PAYLOAD",
    });
  });

  it("is refused for another method", async () => {
    await expect(verify({ ...PRESIGNED, method: "PUT" })).rejects.toMatchObject({
      code: "SignatureDoesNotMatch",
    });
  });
});

const CONTENT = Buffer.alloc(66_560, "a");

/** The body of the examples: 64 KiB, 1 KiB, nothing, each with its published signature. */
function chunked(signatures: readonly [string, string, string], tail = "\r\n"): Buffer {
  const chunk = (bytes: Buffer, signature: string) => [
    Buffer.from(`${bytes.length.toString(16)};chunk-signature=${signature}\r\n`),
    bytes,
  ];
  const [first, second, last] = signatures;
  return Buffer.concat([
    ...chunk(CONTENT.subarray(0, 65_536), first),
    Buffer.from("\r\n"),
    ...chunk(CONTENT.subarray(65_536), second),
    Buffer.from("\r\n"),
    ...chunk(Buffer.alloc(0), last),
    Buffer.from(tail),
  ]);
}

const CHUNKED = {
  request: request(
    "PUT",
    "/examplebucket/chunkObject.txt",
    {
      host: "s3.amazonaws.com",
      "content-encoding": "aws-chunked",
      "content-length": "66824",
      "x-amz-date": "20130524T000000Z",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
      "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
      "x-amz-decoded-content-length": "66560",
    },
    "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
  ),
  body: chunked([
    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
    "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
  ]),
};

const TRAILER = {
  request: request(
    "PUT",
    "/examplebucket/chunkObject.txt",
    {
      host: "s3.amazonaws.com",
      "content-encoding": "aws-chunked",
      "x-amz-date": "20130524T000000Z",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
      "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
      "x-amz-decoded-content-length": "66560",
      "x-amz-trailer": "x-amz-checksum-crc32c",
    },
    "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
  ),
  body: chunked(
    [
      "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
      "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
      "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
    ],
    "x-amz-checksum-crc32c:sOO8/Q==\r\n" +
      "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n",
  ),
};

async function receive(head: HttpRequest, body: Uint8Array): Promise<Buffer> {
  const auth = await verify(head);
  const parsed = parseRequest({ ...head, body }, AWS_DIALECT, ["s3.amazonaws.com"]);
  return readAll(openBody(parsed, auth).chunks, 100_000);
}

describe.each([
  ["a chunked upload", CHUNKED],
  ["a chunked upload with a trailer", TRAILER],
])("Amazon's example of %s", (_, { request: head, body }) => {
  it("is verified, chunk by chunk, and decoded", async () => {
    await expect(receive(head, body)).resolves.toEqual(CONTENT);
  });

  it.each([
    ["a byte of the first chunk", 100],
    ["a byte of the second chunk", 65_536 + 200],
    ["a digit of the first chunk's signature", 25],
    ["a digit of the last chunk's signature", body.indexOf("\r\n0;") + 30],
  ])("is refused when %s is changed", async (__, at) => {
    const changed = Buffer.from(body);
    changed[at] = changed[at] === 0x62 ? 0x63 : 0x62;
    await expect(receive(head, changed)).rejects.toMatchObject({ code: "SignatureDoesNotMatch" });
  });

  it("is refused when it ends early", async () => {
    const end = body.indexOf("\r\n0;");
    await expect(receive(head, body.subarray(0, end))).rejects.toMatchObject({
      code: "IncompleteBody",
    });
  });
});

describe("Amazon's example of a trailer", () => {
  it("is refused when the trailer's signature is changed", async () => {
    const changed = Buffer.from(TRAILER.body);
    const at = changed.indexOf("trailer-signature:") + 20;
    changed[at] = changed[at] === 0x61 ? 0x62 : 0x61;
    await expect(receive(TRAILER.request, changed)).rejects.toMatchObject({
      code: "SignatureDoesNotMatch",
    });
  });
});
