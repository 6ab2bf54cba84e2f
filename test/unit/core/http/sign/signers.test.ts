import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  canonicalQuery,
  encodeKey,
  parseCanonicalQuery,
} from "../../../../../src/core/http/sign/canonical.js";
import { createFastSigner } from "../../../../../src/core/http/sign/fast.js";
import { signHeaders, signQuery } from "../../../../../src/core/http/sign/library.js";
import { EMPTY_SHA256, payloadHash } from "../../../../../src/core/http/sign/payload.js";
import { GOOGLE_DIALECT } from "../../../../../src/protocol/dialect.js";

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const headerName = fc.oneof(
  fc.constantFrom("range", "if-match", "cache-control", "user-agent", "expect", "proxy-x", "sec-y"),
  fc.constantFrom("content-type", "content-length", "content-md5", "accept-encoding", "date"),
  fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/),
);
const headerValue = fc.string({
  unit: fc.constantFrom(" ", "\t", "a", "B", "0", "=", ";", "é", '"'),
  maxLength: 12,
});
const cases = fc.record({
  dialect: fc.record({
    scheme: fc.stringMatching(/^[A-Z0-9]{1,6}$/),
    infix: word,
    service: word,
    terminator: fc.stringMatching(/^[a-z0-9_]{1,12}$/),
  }),
  region: word,
  method: fc.constantFrom("GET", "PUT", "POST", "DELETE", "HEAD"),
  key: text,
  query: fc.dictionary(
    text.filter((name) => name !== "" && name !== "__proto__"),
    text,
    {
      maxKeys: 5,
    },
  ),
  headers: fc.dictionary(headerName, headerValue, { maxKeys: 8 }),
  secret: fc.string({ minLength: 1, maxLength: 40 }),
  token: fc.option(word, { nil: undefined }),
  date: fc.date({
    min: new Date("2000-01-01"),
    max: new Date("2099-12-31"),
    noInvalidDate: true,
  }),
});

const signFast = createFastSigner();

describe("the two signers", () => {
  it("sign every request in every dialect alike", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const request = {
          method: given.method,
          path: `/${encodeKey(given.key)}`,
          query: canonicalQuery(given.query),
          headers: { ...given.headers, host: "example.com" },
          payloadHash: EMPTY_SHA256,
        };
        const context = {
          dialect: given.dialect,
          region: given.region,
          credentials: {
            accessKeyId: "id",
            secretAccessKey: given.secret,
            sessionToken: given.token,
          },
          date: given.date,
        };
        expect(signFast(request, context)).toEqual(await signHeaders(request, context));
      }),
      { numRuns: 300 },
    );
  });

  it("derive different keys for two accounts", () => {
    const request = {
      method: "GET",
      path: "/",
      query: "",
      headers: { host: "h" },
      payloadHash: EMPTY_SHA256,
    };
    const sign = (secret: string) =>
      signFast(request, {
        dialect: GOOGLE_DIALECT,
        region: "auto",
        credentials: { accessKeyId: "id", secretAccessKey: secret },
        date: new Date(0),
      })["authorization"];
    const first = sign("one");
    expect(sign("two")).not.toBe(first);
    expect(sign("one")).toBe(first);
  });
});

it("spells a request and a URL in Google's dialect", async () => {
  const context = {
    dialect: GOOGLE_DIALECT,
    region: "auto",
    credentials: { accessKeyId: "GOOG1", secretAccessKey: "secret", sessionToken: "token" },
    date: new Date("2026-01-02T03:04:05Z"),
  };
  const request = {
    method: "GET",
    path: "/b/k",
    query: "",
    headers: { host: "storage.googleapis.com" },
    payloadHash: EMPTY_SHA256,
  };
  expect(signFast(request, context)).toMatchObject({
    "x-goog-date": "20260102T030405Z",
    "x-goog-content-sha256": EMPTY_SHA256,
    "x-goog-security-token": "token",
    authorization: expect.stringMatching(
      /^GOOG4-HMAC-SHA256 Credential=GOOG1\/20260102\/auto\/storage\/goog4_request, SignedHeaders=host;x-goog-content-sha256;x-goog-date;x-goog-security-token, Signature=[0-9a-f]{64}$/,
    ),
  });
  const names = (await signQuery(request, context, 60)).split("&").map((p) => p.split("=")[0]);
  expect(names).toEqual([
    "X-Goog-Algorithm",
    "X-Goog-Credential",
    "X-Goog-Date",
    "X-Goog-Expires",
    "X-Goog-Security-Token",
    "X-Goog-SignedHeaders",
    "X-Goog-Signature",
  ]);
});

describe("canonical forms", () => {
  it("keep unreserved characters, slashes and dot segments of a key, and encode every other byte", () => {
    expect(encodeKey("a//b/../c/./d~_-.txt")).toBe("a//b/../c/./d~_-.txt");
    expect(encodeKey("a b+c?d#e%f!'()*é\n😀")).toBe(
      "a%20b%2Bc%3Fd%23e%25f%21%27%28%29%2A%C3%A9%0A%F0%9F%98%80",
    );
  });

  it("sort a query by its encoded names and write empty values with a sign", () => {
    expect(canonicalQuery({ b: "2", a: "", B: "x y", none: undefined, é: "" })).toBe(
      "%C3%A9=&B=x%20y&a=&b=2",
    );
  });

  it("are read back from a query", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          text.filter((name) => name !== "__proto__"),
          text,
        ),
        (query) => {
          expect(parseCanonicalQuery(canonicalQuery(query))).toEqual({ ...query });
        },
      ),
    );
  });
});

describe("the payload hash", () => {
  const stream = {
    length: 5,
    open: async function* () {
      yield Buffer.from("he");
      yield Buffer.from("llo");
    },
  };
  const hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

  it("is that of nothing for no body, and of the bytes for a body in memory", async () => {
    expect(await payloadHash(undefined, undefined, true)).toBe(EMPTY_SHA256);
    expect(await payloadHash(Buffer.from("hello"), undefined, true)).toBe(hello);
  });

  it("covers a stream over plain HTTP, and leaves it out over TLS", async () => {
    expect(await payloadHash(stream, undefined, false)).toBe(hello);
    expect(await payloadHash(stream, "signed", true)).toBe(hello);
    expect(await payloadHash(stream, undefined, true)).toBe("UNSIGNED-PAYLOAD");
    expect(await payloadHash(stream, "unsigned", false)).toBe("UNSIGNED-PAYLOAD");
  });
});
