import { createHash } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createChecksum } from "../../../src/protocol/checksum.js";
import { AWS_DIALECT, type Dialect } from "../../../src/protocol/dialect.js";
import { type HttpRequest, readAll, type RequestBody } from "../../../src/protocol/message.js";
import { decodeChunked } from "../../../src/store/body/aws-chunked.js";
import { openBody } from "../../../src/store/body/body.js";
import { parseRequest } from "../../../src/store/request.js";
import { createVerifier } from "../../../src/store/verify/verify.js";
import {
  signed,
  signedChunks,
  type SignOptions,
  unsignedChunks,
} from "../../support/signed-request.js";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
const ACME: Dialect = { scheme: "ACME1", infix: "acme", service: "blob", terminator: "acme_end" };
const HELLO = Buffer.from("hello world");
const CRC32 = base64("CRC32", HELLO);

function base64(algorithm: "CRC32" | "SHA256", content: Uint8Array): string {
  const checksum = createChecksum(algorithm);
  checksum.update(content);
  return checksum.digest().toString("base64");
}

/** Yields the bytes in pieces cut at the given places. */
async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    if (cut <= start || cut >= bytes.length) continue;
    yield bytes.subarray(start, cut);
    start = cut;
  }
  yield bytes.subarray(start);
}

async function receive(
  request: HttpRequest,
  body: RequestBody | undefined,
  dialect: Dialect = AWS_DIALECT,
): Promise<Buffer> {
  const verify = createVerifier({
    dialect,
    region: "us-east-1",
    now: Date.now,
    keyOf: async () => credentials,
  });
  const auth = await verify(request);
  const parsed = parseRequest({ ...request, body }, dialect, []);
  return readAll(openBody(parsed, auth).chunks, 10_000_000);
}

const put = (more: Partial<SignOptions> = {}) =>
  signed({ method: "PUT", target: "/b/k", credentials, ...more });

describe("a plain body", () => {
  it("is read when it is as announced", async () => {
    const headers = {
      "content-length": "11",
      "content-md5": createHash("md5").update(HELLO).digest("base64"),
      "x-amz-checksum-crc32": CRC32,
      "x-amz-sdk-checksum-algorithm": "CRC32",
    };
    await expect(receive(await put({ headers, body: HELLO }), HELLO)).resolves.toEqual(HELLO);
  });

  it("is refused when it differs from the hash in the signature", async () => {
    const request = await put({ body: HELLO });
    await expect(receive(request, Buffer.from("hello worle"))).rejects.toMatchObject({
      code: "XAmzContentSHA256Mismatch",
    });
  });

  it.each([
    ["shorter", "12"],
    ["longer", "10"],
  ])("is refused when it is %s than its Content-Length", async (_, length) => {
    const request = await put({ headers: { "content-length": length }, body: HELLO });
    await expect(receive(request, HELLO)).rejects.toMatchObject({ code: "IncompleteBody" });
  });

  it("is refused when it has no length", async () => {
    const request = await put({ payloadHash: "UNSIGNED-PAYLOAD" });
    const body = { length: undefined, open: () => pieces(HELLO, []) };
    await expect(receive(request, body)).rejects.toMatchObject({ code: "MissingContentLength" });
  });

  it.each([
    ["content-md5", "not base64!", "InvalidDigest"],
    ["content-md5", "AAAA", "InvalidDigest"],
    ["content-md5", createHash("md5").digest("base64"), "BadDigest"],
    ["x-amz-checksum-crc32", "AAAAAA==", "BadDigest"],
    ["x-amz-checksum-crc32", "AAAA", "InvalidRequest"],
    ["x-amz-checksum-sha256", CRC32, "InvalidRequest"],
    ["x-amz-sdk-checksum-algorithm", "CRC32", "InvalidRequest"],
    ["x-amz-sdk-checksum-algorithm", "MD4", "InvalidRequest"],
    ["x-amz-trailer", "x-amz-meta-late", "InvalidRequest"],
  ])("with %s: %s is refused as %s", async (name, value, code) => {
    const request = await put({ headers: { [name]: value }, body: HELLO });
    await expect(receive(request, HELLO)).rejects.toMatchObject({ code });
  });

  it("may carry one checksum only", async () => {
    const headers = {
      "x-amz-checksum-crc32": CRC32,
      "x-amz-checksum-sha256": base64("SHA256", HELLO),
    };
    await expect(receive(await put({ headers, body: HELLO }), HELLO)).rejects.toMatchObject({
      code: "InvalidRequest",
    });
  });
});

describe.each([
  ["Amazon's", AWS_DIALECT],
  ["an invented", ACME],
])("a chunked body in %s dialect", (_, dialect) => {
  const { infix, scheme } = dialect;
  const { secretAccessKey } = credentials;
  const trailer = [`x-${infix}-checksum-crc32`, CRC32] as const;
  const chunks = [HELLO.subarray(0, 3), HELLO.subarray(3)];
  const length = { [`x-${infix}-decoded-content-length`]: "11" };
  const announced = { ...length, [`x-${infix}-trailer`]: trailer[0] };

  const forms = {
    "signed chunks": async () => {
      const payloadHash = `STREAMING-${scheme}-HMAC-SHA256-PAYLOAD`;
      const request = await put({ dialect, headers: length, payloadHash });
      return { request, body: signedChunks(request, chunks, { dialect, secretAccessKey }) };
    },
    "signed chunks and a signed trailer": async () => {
      const payloadHash = `STREAMING-${scheme}-HMAC-SHA256-PAYLOAD-TRAILER`;
      const request = await put({ dialect, headers: announced, payloadHash });
      const options = { dialect, secretAccessKey, trailer };
      return { request, body: signedChunks(request, chunks, options) };
    },
    "an unsigned trailer": async () => {
      const payloadHash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
      const request = await put({ dialect, headers: announced, payloadHash });
      return { request, body: unsignedChunks(chunks, trailer) };
    },
  };

  it.each(Object.entries(forms))("is read with %s, however it arrives", async (__, make) => {
    const { request, body } = await make();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(body.length)), async (cuts) => {
        const stream = { length: body.length, open: () => pieces(body, cuts) };
        expect(await receive(request, stream, dialect)).toEqual(HELLO);
      }),
      { numRuns: 30 },
    );
  });

  it.each(Object.entries(forms))("is refused with %s when any byte changes", async (__, make) => {
    const { request, body } = await make();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(body.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const changed = Buffer.from(body);
          changed[at] = (changed[at]! + by) % 256;
          const result = await receive(request, changed, dialect).catch((error: unknown) => error);
          // A letter's case in a size, or white space in a trailer, does not change the meaning.
          if (Buffer.isBuffer(result)) expect(result).toEqual(HELLO);
          else expect(result).toMatchObject({ name: "StoreError" });
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(Object.entries(forms))("is refused with %s when it ends early", async (__, make) => {
    const { request, body } = await make();
    const end = body.indexOf("\r\n0");
    for (const cut of [0, 1, 10, end, end + 3]) {
      await expect(receive(request, body.subarray(0, cut), dialect)).rejects.toMatchObject({
        code: "IncompleteBody",
      });
    }
  });

  it("is refused when its decoded length differs or is missing", async () => {
    const payloadHash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
    const body = unsignedChunks(chunks, trailer);
    for (const [decoded, code] of [
      ["10", "IncompleteBody"],
      ["12", "IncompleteBody"],
      [undefined, "MissingContentLength"],
    ] as const) {
      const headers: Record<string, string> = { ...announced };
      if (decoded === undefined) delete headers[`x-${infix}-decoded-content-length`];
      else headers[`x-${infix}-decoded-content-length`] = decoded;
      const request = await put({ dialect, headers, payloadHash });
      await expect(receive(request, body, dialect)).rejects.toMatchObject({ code });
    }
  });

  it("is refused when the trailer it announced is wrong or missing", async () => {
    const payloadHash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
    const request = await put({ dialect, headers: announced, payloadHash });
    for (const [other, code] of [
      [[trailer[0], "AAAAAA=="], "BadDigest"],
      [["x-other", CRC32], "MalformedTrailerError"],
    ] as const) {
      await expect(receive(request, unsignedChunks(chunks, other), dialect)).rejects.toMatchObject({
        code,
      });
    }
    const none = Buffer.from("b\r\nhello world\r\n0\r\n\r\n");
    await expect(receive(request, none, dialect)).rejects.toMatchObject({
      code: "MalformedTrailerError",
    });
  });
});

describe("decodeChunked", () => {
  const decode = async (body: string) =>
    (
      await readAll(decodeChunked(pieces(Buffer.from(body), []), { trailers: false }), 1000)
    ).toString();

  it("accepts everything that the coding allows", async () => {
    await expect(decode("3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n")).resolves.toBe(
      "abc0123456789",
    );
  });

  it.each([
    ["a size that is no number", "x\r\nabc\r\n0\r\n\r\n"],
    ["a negative size", "-1\r\n\r\n0\r\n\r\n"],
    ["a size that runs past its chunk", "4\r\nabc\r\n0\r\n\r\n"],
    ["a size short of its chunk", "2\r\nabc\r\n0\r\n\r\n"],
    ["a line feed alone", "3\nabc\r\n0\r\n\r\n"],
    ["a size of too many digits", `${"0".repeat(13)}\r\n\r\n`],
    ["a line without end", "0".repeat(2000)],
    ["a signature where none is due", `3;chunk-signature=${"a".repeat(64)}\r\nabc\r\n0\r\n\r\n`],
    ["a trailer where none is due", "3\r\nabc\r\n0\r\nx-a: b\r\n\r\n"],
  ])("refuses %s", async (_, body) => {
    await expect(decode(body)).rejects.toMatchObject({ name: "StoreError", status: 400 });
  });
});
