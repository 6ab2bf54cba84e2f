/**
 * Amazon's published examples for S3
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html,
 * sigv4-query-string-auth.html, sigv4-streaming.html), and the SigV4 test suite's requests.
 */
import { createHash, createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { canonicalQuery, canonicalValue, encodeKey } from "../../src/core/http/sign/canonical.js";
import { createFastSigner, signingKey } from "../../src/core/http/sign/fast.js";
import { signHeaders, signQuery } from "../../src/core/http/sign/library.js";
import { EMPTY_SHA256 } from "../../src/core/http/sign/payload.js";
import type { Signable, SigningContext } from "../../src/core/http/sign/types.js";
import { AWS_DIALECT } from "../../src/protocol/dialect.js";

const context: SigningContext = {
  dialect: AWS_DIALECT,
  region: "us-east-1",
  credentials: {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  },
  date: new Date("2013-05-24T00:00:00Z"),
};
const host = "examplebucket.s3.amazonaws.com";
const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

const examples: [name: string, request: Signable, signedHeaders: string, signature: string][] = [
  [
    "GET object with a range",
    {
      method: "GET",
      path: "/test.txt",
      query: "",
      headers: { host, range: "bytes=0-9" },
      payloadHash: EMPTY_SHA256,
    },
    "host;range;x-amz-content-sha256;x-amz-date",
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "PUT object",
    {
      method: "PUT",
      path: `/${encodeKey("test$file.text")}`,
      query: "",
      headers: {
        host,
        date: "Fri, 24 May 2013 00:00:00 GMT",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
      },
      payloadHash: sha256("Welcome to Amazon S3."),
    },
    "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  [
    "GET bucket lifecycle",
    {
      method: "GET",
      path: "/",
      query: canonicalQuery({ lifecycle: "" }),
      headers: { host },
      payloadHash: EMPTY_SHA256,
    },
    "host;x-amz-content-sha256;x-amz-date",
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  ],
  [
    "GET bucket (list objects)",
    {
      method: "GET",
      path: "/",
      query: canonicalQuery({ prefix: "J", "max-keys": "2" }),
      headers: { host },
      payloadHash: EMPTY_SHA256,
    },
    "host;x-amz-content-sha256;x-amz-date",
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
  [
    "PUT object in signed chunks: the seed signature",
    {
      method: "PUT",
      path: "/examplebucket/chunkObject.txt",
      query: "",
      headers: {
        host: "s3.amazonaws.com",
        "content-encoding": "aws-chunked",
        "content-length": "66824",
        "x-amz-decoded-content-length": "66560",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
      },
      payloadHash: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
    },
    "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class",
    "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
  ],
];

describe.each([
  ["the fast signer", createFastSigner()],
  ["the library signer", signHeaders],
])("%s signs Amazon's S3 examples", (_name, sign) => {
  it.each(examples)("%s", async (_example, request, signedHeaders, signature) => {
    const headers = await sign(request, context);
    expect(headers["authorization"]).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ` +
        `SignedHeaders=${signedHeaders}, Signature=${signature}`,
    );
    expect(headers["x-amz-date"]).toBe("20130524T000000Z");
  });
});

it("presigns Amazon's example URL", async () => {
  const query = await signQuery(
    { method: "GET", path: "/test.txt", query: "", headers: { host } },
    context,
    86_400,
  );
  expect(query).toBe(
    "X-Amz-Algorithm=AWS4-HMAC-SHA256" +
      "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
      "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

it("derives a signing key that signs the chunks of Amazon's example", () => {
  const key = signingKey(context.credentials.secretAccessKey, "20130524", "us-east-1", AWS_DIALECT);
  let previous = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
  const signatures = [65_536, 1024, 0].map((size) => {
    const text = [
      "AWS4-HMAC-SHA256-PAYLOAD",
      "20130524T000000Z",
      "20130524/us-east-1/s3/aws4_request",
      previous,
      EMPTY_SHA256,
      sha256(Buffer.alloc(size, "a")),
    ].join("\n");
    return (previous = createHmac("sha256", key).update(text).digest("hex"));
  });
  expect(signatures).toEqual([
    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
    "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
  ]);
});

/**
 * The suite signs for a service that wants no content hash header, so its requests are put
 * together here from the same parts the signers use.
 */
describe("the parts of the signers sign the SigV4 test suite's requests", () => {
  const date = "20150830T123600Z";
  const suite = (
    method: string,
    path: string,
    query: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const all: Record<string, string> = {
      host: "example.amazonaws.com",
      "x-amz-date": date,
      ...headers,
    };
    const names = Object.keys(all).sort();
    const canonical = [
      method,
      encodeKey(path),
      canonicalQuery(query),
      ...names.map((name) => `${name}:${canonicalValue(all[name]!)}`),
      "",
      names.join(";"),
      EMPTY_SHA256,
    ].join("\n");
    const scope = "20150830/us-east-1/service/aws4_request";
    const key = signingKey("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830", "us-east-1", {
      ...AWS_DIALECT,
      service: "service",
    });
    const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`;
    return createHmac("sha256", key).update(text).digest("hex");
  };
  const unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  it.each([
    [
      "get-vanilla",
      suite("GET", "/", {}),
      "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ],
    [
      "get-vanilla-query-order-key-case",
      suite("GET", "/", { Param2: "value2", Param1: "value1" }),
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "get-vanilla-query-unreserved",
      suite("GET", "/", { [unreserved]: unreserved }),
      "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
    ],
    [
      "get-vanilla-utf8-query",
      suite("GET", "/", { "\u1234": "bar" }),
      "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    ],
    [
      "get-utf8",
      suite("GET", "/\u1234", {}),
      "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
    ],
    [
      "get-header-value-trim",
      suite("GET", "/", {}, { "my-header1": " value1", "my-header2": ' "a   b   c"' }),
      "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ],
    [
      "post-vanilla",
      suite("POST", "/", {}),
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
  ])("%s", (_name, signature, expected) => {
    expect(signature).toBe(expected);
  });

  it("the key of the documentation's example", () => {
    const key = signingKey("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830", "us-east-1", {
      ...AWS_DIALECT,
      service: "iam",
    });
    expect(key.export().toString("hex")).toBe(
      "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9",
    );
  });
});
