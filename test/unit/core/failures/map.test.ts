import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import {
  connectionError,
  errorFromBody,
  errorFromResponse,
  parseServiceError,
  toAppError,
} from "../../../../src/core/failures/map.js";
import { AppError, type ErrorKind } from "../../../../src/core/failures/errors.js";

const about = {
  method: "GET",
  bucket: "photos",
  key: "a/b.jpg",
  endpoint: "https://s3.example.com",
  alias: "mine",
  setCommand: "pail alias set mine https://s3.example.com",
};
const document = (code: string, message = "", inner = "") =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>${inner}<RequestId>R1</RequestId></Error>`;
const answered = (status: number, code: string, message = "") =>
  errorFromBody(status, {}, document(code, message), about);

describe("an S3 error", () => {
  it.each<[code: string, status: number, kind: ErrorKind, message: string, hint?: string]>([
    ["NoSuchBucket", 404, "not-found", "mine/photos: no such bucket", "pail ls mine"],
    ["NoSuchKey", 404, "not-found", "mine/photos/a/b.jpg: no such object"],
    ["NoSuchVersion", 404, "not-found", "mine/photos/a/b.jpg: no such version"],
    [
      "NoSuchUpload",
      404,
      "not-found",
      "mine/photos/a/b.jpg: no such upload; it was finished or aborted",
    ],
    ["AccessDenied", 403, "denied", "mine/photos/a/b.jpg: access denied (AccessDenied)"],
    [
      "SignatureDoesNotMatch",
      403,
      "denied",
      "mine/photos/a/b.jpg: https://s3.example.com refused the signature; the secret key is wrong",
      "pail alias set mine https://s3.example.com",
    ],
    [
      "InvalidAccessKeyId",
      403,
      "denied",
      "mine/photos/a/b.jpg: https://s3.example.com does not know this access key",
      "pail alias set mine https://s3.example.com",
    ],
    [
      "BucketNotEmpty",
      409,
      "conflict",
      "mine/photos: the bucket is not empty",
      "pail rb --force mine/photos",
    ],
    ["BucketAlreadyOwnedByYou", 409, "conflict", "mine/photos: you already have this bucket"],
    [
      "BucketAlreadyExists",
      409,
      "conflict",
      "mine/photos: the name is taken by somebody else's bucket",
    ],
    [
      "PreconditionFailed",
      412,
      "conflict",
      "mine/photos/a/b.jpg: a condition of the request does not hold (PreconditionFailed)",
    ],
    [
      "SlowDown",
      503,
      "unavailable",
      "mine/photos/a/b.jpg: the service asks to slow down (SlowDown)",
    ],
    [
      "InternalError",
      500,
      "unavailable",
      "mine/photos/a/b.jpg: the service failed (InternalError)",
    ],
    [
      "InvalidBucketName",
      400,
      "usage",
      "mine/photos/a/b.jpg: the service takes no bucket of this name (InvalidBucketName)",
      "a bucket's name has 3 to 63 lower-case letters, digits, dots and hyphens",
    ],
    [
      "NotImplemented",
      501,
      "usage",
      "mine/photos/a/b.jpg: the service does not implement this request (NotImplemented)",
    ],
    ["SomethingNew", 418, "usage", "mine/photos/a/b.jpg: the service answered 418 (SomethingNew)"],
    [
      "SomethingNew",
      599,
      "unavailable",
      "mine/photos/a/b.jpg: the service answered 599 (SomethingNew)",
    ],
  ])("%s is told in words", (code, status, kind, message, hint) => {
    expect(answered(status, code)).toMatchObject({ code, kind, message, hint });
    expect(answered(status, code).details).toEqual({ status, requestId: "R1" });
  });

  it("repeats the service's words, in one line of limited length", () => {
    expect(answered(400, "InvalidArgument", "Part number\n must  be 1 to 10000.").message).toBe(
      "mine/photos/a/b.jpg: Part number must be 1 to 10000 (InvalidArgument)",
    );
    expect(answered(400, "InvalidArgument", "x".repeat(5000)).message.length).toBeLessThan(400);
  });

  it.each([
    ["PUT", "a/b.jpg", "pail mb mine/photos"],
    ["POST", "a/b.jpg", "pail mb mine/photos"],
    ["POST", undefined, "pail ls mine"],
    ["DELETE", undefined, "pail ls mine"],
    ["DELETE", "a/b.jpg", "pail ls mine"],
    ["HEAD", "a/b.jpg", "pail ls mine"],
  ])("for %s of %s in a bucket that is missing hints %s", (method, key, hint) => {
    const error = errorFromBody(404, {}, document("NoSuchBucket"), { ...about, method, key });
    expect(error.hint).toBe(hint);
  });

  it("names the endpoint when there is no alias", () => {
    const nameless = { ...about, alias: undefined, key: undefined };
    const error = errorFromBody(404, {}, document("NoSuchBucket"), nameless);
    expect(error.message).toBe("photos at https://s3.example.com: no such bucket");
    expect(error.hint).toBeUndefined();
  });

  it("shows neither signatures nor what was signed", () => {
    const inner =
      "<SignatureProvided>5ec3e7</SignatureProvided><StringToSign>AWS4 stuff</StringToSign><AWSAccessKeyId>AKID</AWSAccessKeyId>";
    const error = errorFromBody(403, {}, document("SignatureDoesNotMatch", "m", inner), about);
    const everything = `${error.message} ${error.hint} ${JSON.stringify(error.details)}`;
    expect(everything).not.toMatch(/5ec3e7|stuff|AKID/);
  });

  it("may stand in an answer of status 200", () => {
    expect(errorFromBody(200, {}, document("InternalError"), about)).toMatchObject({
      code: "InternalError",
      kind: "unavailable",
    });
  });

  it("is read with its region and endpoint, whatever surrounds them", () => {
    const text = `\uFEFF<?xml version="1.0"?>\n<!-- c --><Error xmlns="x"><Code> PermanentRedirect </Code><Message/><Region>eu-1</Region><Endpoint>h</Endpoint></Error>`;
    expect(parseServiceError(text)).toEqual({
      code: "PermanentRedirect",
      message: "",
      region: "eu-1",
      endpoint: "h",
      requestId: undefined,
    });
  });

  it.each(["", "<Error>", "<Error/>", "<Error><Code/></Error>", "<html><Error></html>", "{}"])(
    "is not found in %j",
    (text) => expect(parseServiceError(text)).toBeUndefined(),
  );
});

describe("an answer without a body", () => {
  const head = (status: number, overrides = {}, headers = {}) =>
    errorFromBody(status, headers, "", { ...about, ...overrides });

  it.each<[number, ErrorKind, string]>([
    [400, "usage", "BadRequest"],
    [403, "denied", "AccessDenied"],
    [404, "not-found", "NoSuchKey"],
    [405, "usage", "MethodNotAllowed"],
    [409, "conflict", "Conflict"],
    [412, "conflict", "PreconditionFailed"],
    [416, "usage", "InvalidRange"],
    [429, "unavailable", "SlowDown"],
    [500, "unavailable", "InternalError"],
    [501, "usage", "NotImplemented"],
    [503, "unavailable", "ServiceUnavailable"],
  ])("of status %d is %s", (status, kind, code) => {
    expect(head(status)).toMatchObject({ kind, code });
  });

  it("of status 404 is about the requested bucket or object", () => {
    expect(head(404, { key: undefined }).code).toBe("NoSuchBucket");
    expect(head(404, { key: undefined, bucket: undefined }).code).toBe("NotFound");
  });

  it("takes the error a server names in a header", () => {
    const headers = { "x-minio-error-code": "NoSuchVersion", "x-minio-error-desc": '"gone"' };
    expect(head(404, {}, headers)).toMatchObject({ code: "NoSuchVersion", kind: "not-found" });
  });
});

describe("an answer that is not S3's", () => {
  const html = { "content-type": "text/html; charset=utf-8" };

  it.each([200, 400, 403, 404])("of status %d says that this is no S3 endpoint", (status) => {
    expect(errorFromBody(status, html, "<html>hi</html>", about)).toMatchObject({
      kind: "usage",
      code: "NotS3",
      message: `https://s3.example.com is not an S3 endpoint: it answered GET with ${status} and text/html`,
      hint: expect.stringContaining("pail alias set mine"),
    });
  });

  it.each([429, 500, 502, 503])("of status %d is a failure of a proxy in front", (status) => {
    expect(errorFromBody(status, html, "<html>bad gateway</html>", about)).toMatchObject({
      kind: "unavailable",
    });
  });

  it.each([
    "Client sent an HTTP request to an HTTPS server.\n",
    "<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>",
  ])("that says the port expects TLS is understood: %s", (body) => {
    const endpoint = "http://s3.example.com:9000";
    expect(errorFromBody(400, html, body, { ...about, endpoint })).toMatchObject({
      code: "WrongScheme",
      kind: "usage",
      hint: "use https://s3.example.com:9000 in pail alias set",
    });
  });

  it("is read no further than needed", async () => {
    let read = 0;
    const body = (async function* () {
      for (;;) {
        read += 16_384;
        yield Buffer.alloc(16_384, "x");
      }
    })();
    const error = await errorFromResponse({ status: 404, headers: {}, body }, about);
    expect(error.code).toBe("NotS3");
    expect(read).toBeLessThan(200_000);
  });

  it("that redirects names its target, without a query that may hold a secret", () => {
    const headers = { location: "https://login.example.com/sso?token=hunter2" };
    const error = errorFromBody(302, headers, "", about);
    expect(error).toMatchObject({ kind: "usage", code: "Redirected" });
    expect(error.message).toContain("https://login.example.com/sso");
    expect(error.message + error.hint).not.toContain("hunter2");
  });
});

describe("an error of the system", () => {
  const coded = (code: string, more = {}) =>
    Object.assign(new Error("node's words"), { code, ...more });

  it.each<[code: string, kind: ErrorKind, message: string]>([
    ["ECONNREFUSED", "unavailable", "nothing listens there (ECONNREFUSED)"],
    ["ENOTFOUND", "unavailable", "the host name is not known (ENOTFOUND)"],
    ["ECONNRESET", "unavailable", "the connection broke (ECONNRESET)"],
    ["ETIMEDOUT", "unavailable", "the connection timed out (ETIMEDOUT)"],
    ["CERT_HAS_EXPIRED", "denied", "its certificate has expired"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "denied", "its certificate is for another host"],
    ["ENOENT", "not-found", "no such file or directory"],
    ["EACCES", "denied", "permission denied"],
    ["EISDIR", "usage", "is a directory"],
    ["ENOTDIR", "conflict", "a part of the path is a file, not a directory"],
    ["EEXIST", "conflict", "exists already"],
    ["ENOSPC", "unavailable", "no space left on the disk"],
    ["EROFS", "denied", "the file system is read-only"],
    ["ENAMETOOLONG", "usage", "the name is too long for this file system"],
  ])("%s is told in words", (code, kind, message) => {
    expect(toAppError(coded(code), "x")).toMatchObject({ code, kind, message: `x: ${message}` });
  });

  it("about a file names it, once", async () => {
    const path = join(tmpdir(), "pail-there-is-no-such-file");
    const error = await readFile(path).catch((reason: unknown) => reason);
    expect(toAppError(error).message).toBe(`${path}: no such file or directory`);
    expect(toAppError(error, `reading ${path}`).message).toBe(
      `reading ${path}: no such file or directory`,
    );
  });

  it.each([
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
  ])("%s says how to trust the authority", (code) =>
    expect(toAppError(coded(code)).hint).toMatch(/--ca-file FILE.*--insecure/),
  );

  it("is found in an AggregateError and in a cause", () => {
    expect(toAppError(new AggregateError([coded("ECONNREFUSED")], ""))).toMatchObject({
      code: "ECONNREFUSED",
      kind: "unavailable",
    });
    const wrapped = new Error("fetch failed", { cause: coded("ENOTFOUND") });
    expect(toAppError(wrapped).code).toBe("ENOTFOUND");
  });

  it("of a proxy keeps its words", () => {
    const error = Object.assign(new Error("the proxy p:1 answered 407"), { code: "EPROXY" });
    expect(connectionError(error, "https://h")).toMatchObject({
      kind: "unavailable",
      message: "https://h: the proxy p:1 answered 407",
    });
  });

  it("of TLS never suggests plain HTTP", () => {
    for (const code of [
      "EPROTO",
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    ]) {
      const error = connectionError(coded(code), "https://h:9000");
      expect(error).toMatchObject({ code, kind: "unavailable" });
      expect(`${error.message} ${error.hint}`).not.toContain("http:");
    }
  });

  it("of HTTP where TLS answers suggests the right scheme", () => {
    expect(connectionError(coded("HPE_INVALID_CONSTANT"), "http://h:9000")).toMatchObject({
      code: "WrongScheme",
      message: "http://h:9000 speaks TLS, not plain HTTP",
      hint: "use https://h:9000 in pail alias set",
    });
  });
});

describe("any other error", () => {
  it("of an SDK keeps the service's code and status", () => {
    const sdk = (name: string, status?: number, message = "said") =>
      toAppError(
        Object.assign(new Error(message), {
          name,
          $fault: "client",
          $metadata: { httpStatusCode: status, requestId: "R" },
        }),
        "tagging",
      );
    expect(sdk("NoSuchBucket", 404)).toMatchObject({
      kind: "not-found",
      code: "NoSuchBucket",
      message: "tagging: said",
      details: { status: 404, requestId: "R" },
    });
    expect(sdk("SlowDown", 503).kind).toBe("unavailable");
    expect(sdk("403", 403, "UnknownError")).toMatchObject({
      kind: "denied",
      code: "AccessDenied",
      message: "tagging: AccessDenied",
    });
    expect(sdk("S3ServiceException", 418).kind).toBe("usage");
  });

  it("that is an AppError stays as it is", () => {
    const error = new AppError({ kind: "conflict", code: "X", message: "m" });
    expect(toAppError(error, "doing")).toBe(error);
  });

  it("that is an abort is an interruption, and a timeout an unavailability", () => {
    expect(toAppError(AbortSignal.abort().reason).kind).toBe("interrupted");
    expect(toAppError(new DOMException("t", "TimeoutError"), "x")).toMatchObject({
      kind: "unavailable",
      message: "x: timed out",
    });
  });

  it("is a bug that keeps its message and has it as its cause", () => {
    const error = new TypeError("x is not a function");
    expect(toAppError(error, "doing")).toMatchObject({
      kind: "bug",
      message: "doing: x is not a function",
      cause: error,
    });
    expect(toAppError("thrown text")).toMatchObject({ kind: "bug", message: "thrown text" });
  });
});
