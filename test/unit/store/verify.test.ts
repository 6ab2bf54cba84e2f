import { describe, expect, it } from "vitest";

import { AWS_DIALECT, type Dialect, GOOGLE_DIALECT } from "../../../src/protocol/dialect.js";
import type { HttpRequest } from "../../../src/protocol/message.js";
import { createVerifier } from "../../../src/store/verify/verify.js";
import { presigned, signed, type SignOptions } from "../../support/signed-request.js";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret/with+signs" };
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const date = new Date(NOW);
const ACME: Dialect = { scheme: "ACME1", infix: "acme", service: "blob", terminator: "acme_end" };

function verifier(dialect: Dialect = AWS_DIALECT, region: string | undefined = "us-east-1") {
  return createVerifier({
    dialect,
    region,
    now: () => NOW,
    keyOf: async (id) => (id === credentials.accessKeyId ? credentials : undefined),
  });
}

const sign = (more: Partial<SignOptions> = {}) => signed({ credentials, date, ...more });
const presign = (more: Partial<SignOptions> = {}, expiresIn?: number) =>
  presigned({ credentials, date, ...more }, expiresIn);

function withHeaders(
  request: HttpRequest,
  change: Readonly<Record<string, string | undefined>>,
): HttpRequest {
  const headers = Object.entries({ ...request.headers, ...change }).filter(
    (header): header is [string, string] => header[1] !== undefined,
  );
  return { ...request, headers: Object.fromEntries(headers) };
}

const refused = (request: HttpRequest, code: string, verify = verifier()) =>
  expect(verify(request)).rejects.toMatchObject({ code });

describe("a request signed in its headers", () => {
  it.each([
    ["/", ""],
    ["/bucket/key", ""],
    ["/bucket/a%20b%2Bc%3Fd%23%25", ""],
    ["/bucket//a//../b/.", ""],
    ["/bucket/%F0%9F%98%80", "prefix=%C3%A9%20%2B&uploads="],
    ["/bucket", "a=1&a-b=2&a.b=3&max-keys=2"],
  ])("is verified at %s?%s", async (path, query) => {
    const request = await sign({ target: `${path}?${query}` });
    await expect(verifier()(request)).resolves.toMatchObject({ accessKeyId: "AKIDEXAMPLE" });
  });

  it.each([
    ["Amazon's", AWS_DIALECT],
    ["Google's", GOOGLE_DIALECT],
    ["an invented", ACME],
  ])("is verified in %s dialect, and in no other", async (_, dialect) => {
    const request = await sign({ dialect, headers: { [`x-${dialect.infix}-meta-a`]: "b" } });
    await expect(verifier(dialect)(request)).resolves.toBeDefined();
    const other = dialect === ACME ? AWS_DIALECT : ACME;
    await expect(verifier(other)(request)).rejects.toMatchObject({ status: 400 });
  });

  it("may leave a subresource without its equals sign", async () => {
    const request = await sign({ target: "/bucket?uploads=" });
    await expect(verifier()({ ...request, query: "uploads" })).resolves.toBeDefined();
  });

  it("is refused without a time that can be read", async () => {
    const request = await sign({ headers: { date: date.toUTCString() } });
    await refused(withHeaders(request, { "x-amz-date": "" }), "AccessDenied");
    await refused(withHeaders(request, { date: "x", "x-amz-date": undefined }), "AccessDenied");
  });

  it("is refused when anything that was signed is changed", async () => {
    const request = await sign({
      target: "/b/k?versionId=1",
      headers: { "content-type": "text/plain", "x-amz-meta-a": "b" },
    });
    const changes: HttpRequest[] = [
      { ...request, method: "DELETE" },
      { ...request, path: "/b/K" },
      { ...request, query: "versionId=2" },
      { ...request, query: "" },
      withHeaders(request, { "content-type": "text/html" }),
      withHeaders(request, { "x-amz-meta-a": "c" }),
      withHeaders(request, { "x-amz-meta-a": undefined }),
      withHeaders(request, { host: "elsewhere" }),
      withHeaders(request, { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }),
      withHeaders(request, { "x-amz-date": "20260102T030406Z" }),
    ];
    for (const changed of changes) await refused(changed, "SignatureDoesNotMatch");
  });

  it("is refused for a wrong secret, and for a key that does not exist", async () => {
    const wrong = { ...credentials, secretAccessKey: "wrong" };
    await refused(await sign({ credentials: wrong }), "SignatureDoesNotMatch");
    const unknown = { ...credentials, accessKeyId: "NOBODY" };
    await refused(await sign({ credentials: unknown }), "InvalidAccessKeyId");
  });

  it("is refused with a session token, since no key has one", async () => {
    const temporary = { ...credentials, sessionToken: "token" };
    await refused(await sign({ credentials: temporary }), "InvalidToken");
  });

  it.each([
    [-14, undefined],
    [14, undefined],
    [-16, "RequestTimeTooSkewed"],
    [16, "RequestTimeTooSkewed"],
  ])("%i minutes off the clock answers %s", async (minutes, code) => {
    const request = await sign({ date: new Date(NOW + minutes * 60_000) });
    if (code === undefined) await expect(verifier()(request)).resolves.toBeDefined();
    else await refused(request, code);
  });

  it("is refused for another region, service or terminator, naming the right region", async () => {
    await refused(await sign({ region: "eu-west-1" }), "AuthorizationHeaderMalformed");
    await expect(verifier()(await sign({ region: "eu-west-1" }))).rejects.toMatchObject({
      details: { Region: "us-east-1" },
    });
    for (const change of [{ service: "ec2" }, { terminator: "x" }]) {
      const request = await sign({ dialect: { ...AWS_DIALECT, ...change } });
      await refused(request, "AuthorizationHeaderMalformed");
    }
  });

  it("is refused when the credential's day is not the request's", async () => {
    const request = await sign();
    const authorization = request.headers["authorization"]!.replace("20260102", "20260101");
    await refused(withHeaders(request, { authorization }), "AuthorizationHeaderMalformed");
  });

  it("is refused when a vendor header is not signed", async () => {
    const request = await sign();
    await refused(withHeaders(request, { "x-amz-meta-late": "x" }), "AccessDenied");
    await expect(verifier()(withHeaders(request, { "x-other": "x" }))).resolves.toBeDefined();
  });

  it("is refused when the host is not signed", async () => {
    const request = await sign();
    const authorization = request.headers["authorization"]!.replace("host;", "");
    await refused(withHeaders(request, { authorization }), "AccessDenied");
  });

  it("is refused without the hash of its payload, or with anything else in its place", async () => {
    const request = await sign();
    await refused(withHeaders(request, { "x-amz-content-sha256": undefined }), "InvalidRequest");
    await refused(await sign({ payloadHash: "abc" }), "InvalidArgument");
    await refused(
      await sign({ payloadHash: "STREAMING-OTHER-HMAC-SHA256-PAYLOAD" }),
      "InvalidArgument",
    );
  });

  it.each([
    ["version 2", "AWS AKID:c2lnbmF0dXJl", "InvalidRequest"],
    ["another scheme", "Basic dXNlcjpwYXNz", "InvalidArgument"],
    ["nothing after the scheme", "AWS4-HMAC-SHA256", "AuthorizationHeaderMalformed"],
    ["half a credential", "AWS4-HMAC-SHA256 Credential=a/b", "AuthorizationHeaderMalformed"],
  ])("with %s for authorization is refused", async (_, authorization, code) => {
    await refused(withHeaders(await sign(), { authorization }), code);
  });
});

describe("an unsigned request", () => {
  it.each([undefined, ""])("is anonymous, with %j for authorization", async (authorization) => {
    const request = withHeaders(await sign(), { authorization });
    await expect(verifier()(request)).resolves.toMatchObject({ accessKeyId: undefined, grant: {} });
  });
});

describe("a presigned URL", () => {
  it.each([
    ["Amazon's", AWS_DIALECT],
    ["Google's", GOOGLE_DIALECT],
    ["an invented", ACME],
  ])("is verified in %s dialect", async (_, dialect) => {
    const request = await presign({ dialect, target: "/b/k%20k" });
    await expect(verifier(dialect)(request)).resolves.toMatchObject({
      accessKeyId: "AKIDEXAMPLE",
      payloadHash: "UNSIGNED-PAYLOAD",
    });
  });

  it("is refused when its method, path, query or signed headers are changed", async () => {
    const request = await presign({ target: "/b/k", headers: { "content-type": "a/b" } });
    const changes: HttpRequest[] = [
      { ...request, method: "PUT" },
      { ...request, path: "/b/other" },
      { ...request, query: `${request.query}&versionId=1` },
      { ...request, query: request.query.replace("Expires=60", "Expires=61") },
      withHeaders(request, { "content-type": "c/d" }),
    ];
    for (const changed of changes) await refused(changed, "SignatureDoesNotMatch");
    await refused(withHeaders(request, { "x-amz-meta-a": "b" }), "AccessDenied");
  });

  it("works from its date until it expires", async () => {
    const aged = (seconds: number) =>
      presign({ date: new Date(NOW - seconds * 1000) }, 3600).then(verifier());
    await expect(aged(3599)).resolves.toBeDefined();
    await expect(aged(3601)).rejects.toMatchObject({
      code: "AccessDenied",
      message: "Request has expired",
    });
    await expect(aged(-3600)).rejects.toMatchObject({ code: "AccessDenied" });
  });

  it("lives seven days at most", async () => {
    await expect(verifier()(await presign({}, 604_800))).resolves.toBeDefined();
    const request = await presign({}, 604_800);
    const longer = { ...request, query: request.query.replace("604800", "604801") };
    await refused(longer, "AuthorizationQueryParametersError");
  });

  it.each(["Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature"])(
    "is refused without its %s",
    async (name) => {
      const request = await presign();
      const query = request.query
        .split("&")
        .filter((parameter) => !parameter.startsWith(`X-Amz-${name}=`))
        .join("&");
      await refused({ ...request, query }, "AuthorizationQueryParametersError");
    },
  );

  it("is refused beside an authorization header", async () => {
    const request = await presign();
    await refused(withHeaders(request, { authorization: "x" }), "InvalidArgument");
  });

  it("is refused when a parameter of the signature occurs twice", async () => {
    const request = await presign();
    const query = `${request.query}&X-Amz-Expires=60`;
    await refused({ ...request, query }, "AuthorizationQueryParametersError");
  });
});
