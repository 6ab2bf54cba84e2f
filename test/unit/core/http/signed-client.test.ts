import { describe, expect, it, onTestFinished } from "vitest";

import type { Credentials } from "../../../../src/core/http/client.js";
import { createFastSigner } from "../../../../src/core/http/sign/fast.js";
import { GOOGLE_DIALECT } from "../../../../src/protocol/dialect.js";
import { type HttpHandler, type HttpRequest, readAll } from "../../../../src/protocol/message.js";
import { selfSigned } from "../../../support/certificate.js";
import {
  KEYS,
  bodyOf,
  client,
  listen,
  s3Error,
  serve,
  serveRaw,
  serveTls,
  stream,
} from "./support.js";

/** A handler that answers from a list, and keeps what it was asked. */
function script(...answers: { status: number; headers?: Record<string, string>; body?: string }[]) {
  const asked: HttpRequest[] = [];
  const handler: HttpHandler = async (request) => {
    const answer = answers[asked.length];
    asked.push(request);
    if (answer === undefined) throw new Error("asked once too often");
    return {
      status: answer.status,
      headers: answer.headers ?? {},
      body: (async function* () {
        if (answer.body !== undefined) yield Buffer.from(answer.body);
      })(),
    };
  };
  return { asked, handler };
}

const xml = (code: string, inner = "") =>
  `<Error><Code>${code}</Code><Message>m</Message>${inner}</Error>`;

/** The credential scope a request was signed for. */
function scopeOf(request: HttpRequest | undefined): string | undefined {
  return /Credential=[^/]+\/\d{8}\/([^,]+)/.exec(request?.headers["authorization"] ?? "")?.[1];
}

describe("addressing", () => {
  const ok = { status: 200 };
  it.each([
    ["http://h:9000", "auto", "b", "k", "http://h:9000", "/b/k"],
    [
      "https://s3.us-west-2.amazonaws.com",
      "auto",
      "my-b",
      "a/b",
      "https://my-b.s3.us-west-2.amazonaws.com",
      "/a/b",
    ],
    [
      "https://s3.amazonaws.com",
      "auto",
      "dotted.b",
      "k",
      "https://s3.amazonaws.com",
      "/dotted.b/k",
    ],
    ["https://s3.amazonaws.com", "on", "my-b", "k", "https://s3.amazonaws.com", "/my-b/k"],
    ["https://store.example.com", "off", "my-b", "k", "https://my-b.store.example.com", "/k"],
    ["https://10.0.0.1", "off", "my-b", "k", "https://10.0.0.1", "/my-b/k"],
    ["https://h/base/", "auto", "b", "k", "https://h", "/base/b/k"],
    ["http://h", "auto", "b", "../a//./é?#%+ ", "http://h", "/b/../a//./%C3%A9%3F%23%25%2B%20"],
    ["http://h", "auto", "b", undefined, "http://h", "/b"],
    ["https://s3.amazonaws.com", "auto", "my-b", undefined, "https://my-b.s3.amazonaws.com", "/"],
    ["http://h", "auto", undefined, undefined, "http://h", "/"],
  ] as const)("%s %s %s %s", async (url, pathStyle, bucket, key, origin, path) => {
    const { asked, handler } = script(ok);
    await client(url, { pathStyle }, { handler }).request({ method: "GET", bucket, key });
    expect(asked[0]).toMatchObject({ origin, path, headers: { host: new URL(origin).host } });
  });
});

describe("signing", () => {
  it("covers the seed's headers, and verifies against the request as it arrived", async () => {
    let arrived: { url: string; headers: Record<string, string>; body: string } | undefined;
    const origin = await serve((request, response) => {
      void bodyOf(request).then((body) => {
        const headers = request.headers as Record<string, string>;
        arrived = { url: request.url!, headers, body: body.toString() };
        response.end();
      });
    });
    await client(origin).request({
      method: "PUT",
      bucket: "b",
      key: "a b",
      query: { "x-id": "1", acl: "" },
      headers: { "content-type": "text/plain", "x-amz-meta-name": "v" },
      body: Buffer.from("hello"),
    });
    const { url, headers } = arrived!;
    expect(headers["authorization"]).toContain(
      "SignedHeaders=content-length;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-meta-name,",
    );
    const [path, query] = url.split("?") as [string, string];
    const { authorization, connection: _c, "user-agent": _u, ...rest } = headers;
    const time = headers["x-amz-date"]!;
    const date = new Date(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    const again = createFastSigner()(
      { method: "PUT", path, query, headers: rest, payloadHash: headers["x-amz-content-sha256"]! },
      { dialect: client(origin).dialect, region: "us-east-1", credentials: KEYS, date },
    );
    expect(again["authorization"]).toBe(authorization);
  });

  it("follows the alias's dialect, and leaves anonymous requests unsigned", async () => {
    const { asked, handler } = script({ status: 200 }, { status: 200 });
    await client("http://h", { dialect: GOOGLE_DIALECT, region: "auto" }, { handler }).request({
      method: "GET",
    });
    expect(asked[0]!.headers["authorization"]).toMatch(/^GOOG4-HMAC-SHA256 .*goog4_request/);
    expect(asked[0]!.headers["x-goog-date"]).toBeDefined();
    await client("http://h", {}, { handler, credentials: async () => undefined }).request({
      method: "GET",
    });
    expect(Object.keys(asked[1]!.headers).sort()).toEqual(["host", "user-agent"]);
  });

  it("refuses what a header or a key cannot carry", async () => {
    const { handler } = script();
    const to = client("http://h", {}, { handler });
    await expect(
      to.request({ method: "GET", headers: { "x-amz-meta-a": "a\r\nb" } }),
    ).rejects.toMatchObject({ code: "InvalidHeader", kind: "usage" });
    await expect(
      to.request({ method: "GET", headers: { "x-amz-meta-a": "\u{1F600}" } }),
    ).rejects.toThrow("x-amz-meta-a has the character U+1F600");
    const keys = { accessKeyId: "a\u0007", secretAccessKey: "s" };
    await expect(
      client("http://127.0.0.1:9", {}, { credentials: async () => keys }).request({
        method: "GET",
      }),
    ).rejects.toMatchObject({ kind: "usage", code: "ERR_INVALID_CHAR" });
    await expect(to.request({ method: "GET", bucket: "b", key: "\ud800" })).rejects.toMatchObject({
      code: "InvalidKey",
      kind: "usage",
    });
  });

  it("shows a signed request without sending it", async () => {
    const { asked, handler } = script();
    const request = await client("http://h", {}, { handler }).signedRequest({
      method: "DELETE",
      bucket: "b",
      key: "k",
    });
    expect(request).toMatchObject({ method: "DELETE", origin: "http://h", path: "/b/k" });
    expect(request.headers["authorization"]).toBeDefined();
    expect(JSON.stringify(request)).not.toContain(KEYS.secretAccessKey);
    expect(asked).toEqual([]);
  });
});

describe("a presigned URL", () => {
  const to = () => client("https://s3.example.com", {}, { handler: script().handler });

  it("holds the signature, and asks for the headers it was made with", async () => {
    const url = await to().presign(
      { method: "PUT", bucket: "b", key: "a b", headers: { "content-type": "text/plain" } },
      60,
    );
    expect(url.pathname).toBe("/b/a%20b");
    expect(url.searchParams.get("X-Amz-SignedHeaders")).toBe("content-type;host");
    expect(url.searchParams.get("X-Amz-Expires")).toBe("60");
    expect(url.searchParams.get("X-Amz-Signature")).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([0, 604_801, 1.5])("does not live %d seconds", async (seconds) => {
    await expect(
      to().presign({ method: "GET", bucket: "b", key: "k" }, seconds),
    ).rejects.toMatchObject({
      code: "InvalidExpiry",
    });
  });

  it("is refused for a key that a browser would change", async () => {
    await expect(
      to().presign({ method: "GET", bucket: "b", key: "a/../b" }, 60),
    ).rejects.toMatchObject({
      code: "InvalidKey",
    });
  });

  it("needs credentials", async () => {
    const anonymous = client("http://h", {}, { credentials: async () => undefined });
    await expect(
      anonymous.presign({ method: "GET", bucket: "b", key: "k" }, 60),
    ).rejects.toMatchObject({
      code: "NoCredentials",
    });
  });
});

describe("retrying", () => {
  it("repeats a passing failure, reports it, and takes back the sent bytes", async () => {
    let requests = 0;
    const origin = await serve((request, response) => {
      void bodyOf(request).then(() => {
        if (++requests < 3) s3Error(response, 503, "SlowDown");
        else response.end("done");
      });
    });
    let sent = 0;
    const retries: string[] = [];
    const answer = await client(origin).request({
      method: "PUT",
      bucket: "b",
      key: "k",
      body: stream(1000, 3),
      onSent: (count) => (sent += count),
      onRetry: ({ attempt, code }) => retries.push(`${attempt} ${code}`),
    });
    expect((await readAll(answer.body, 100)).toString()).toBe("done");
    expect(retries).toEqual(["1 SlowDown", "2 SlowDown"]);
    expect(sent).toBe(3000);
  });

  it("gives up after all its tries, with the last answer", async () => {
    let requests = 0;
    const origin = await serve((_request, response) => {
      requests++;
      s3Error(response, 500, "InternalError");
    });
    await expect(
      client(origin, {}, { maxAttempts: 3 }).request({ method: "GET", bucket: "b" }),
    ).rejects.toMatchObject({ code: "InternalError", kind: "unavailable" });
    expect(requests).toBe(3);
  });

  it("reads the number of tries from AWS_MAX_ATTEMPTS", async () => {
    const { asked, handler } = script({ status: 500 }, { status: 500 });
    const to = client("http://h", {}, { handler, env: { AWS_MAX_ATTEMPTS: "2" } });
    await expect(to.request({ method: "GET" })).rejects.toMatchObject({ kind: "unavailable" });
    expect(asked.length).toBe(2);
  });

  it.each([
    ["a broken connection", "GET", 2],
    ["a broken connection whose request may have been done", "POST", 1],
  ])("repeats after %s", async (_name, method, tries) => {
    let connections = 0;
    const origin = await serveRaw((socket) => {
      socket.once("data", (bytes: Buffer) => {
        // A handshake is only the question whether this is TLS.
        if (bytes[0] !== 0x16) connections++;
        socket.destroy();
      });
    });
    await expect(
      client(origin, {}, { maxAttempts: 2 }).request({ method, bucket: "b" }),
    ).rejects.toMatchObject({ code: "ECONNRESET", kind: "unavailable" });
    expect(connections).toBe(tries);
  });

  it("repeats a POST that was refused for load, or is declared harmless", async () => {
    for (const [status, idempotent] of [
      [429, undefined],
      [500, true],
    ] as const) {
      const { asked, handler } = script({ status }, { status: 200 });
      await client("http://h", {}, { handler }).request({
        method: "POST",
        bucket: "b",
        idempotent,
      });
      expect(asked.length).toBe(2);
    }
  });

  it("leaves an answer to a raw request as it came", async () => {
    const { asked, handler } = script({ status: 503, body: xml("SlowDown") });
    const answer = await client("http://h", {}, { handler }).rawRequest({ method: "GET" });
    expect(answer.status).toBe(503);
    expect((await readAll(answer.body, 1e3)).toString()).toContain("SlowDown");
    expect(asked.length).toBe(1);
  });

  it("does not repeat a request that is refused for good", async () => {
    const { asked, handler } = script({ status: 403, body: xml("AccessDenied") });
    await expect(
      client("http://h", {}, { handler }).request({ method: "GET", bucket: "b", key: "k" }),
    ).rejects.toMatchObject({ code: "AccessDenied", kind: "denied" });
    expect(asked.length).toBe(1);
  });

  it("of a body that can be read only once ends with the first failure", async () => {
    const origin = await serve((request, response) => {
      void bodyOf(request).then(() => s3Error(response, 503, "SlowDown"));
    });
    let opened = 0;
    const body = {
      length: 3,
      open: () => {
        if (opened++ > 0) throw new Error("read already");
        return stream(3, 1).open();
      },
    };
    await expect(
      client(origin).request({ method: "PUT", bucket: "b", key: "k", body, payload: "unsigned" }),
    ).rejects.toMatchObject({ code: "SlowDown" });
    expect(opened).toBe(2);
  });

  it("never repeats when the body's source failed, and reports that failure", async () => {
    let requests = 0;
    const origin = await serve((request, response) => {
      requests++;
      request.on("error", () => undefined);
      request.resume().on("end", () => response.end());
    });
    const body = {
      length: 3,
      // eslint-disable-next-line require-yield
      open: async function* () {
        throw Object.assign(new Error("EIO: i/o error"), { code: "EIO", path: "/disk/file" });
      },
    };
    await expect(
      client(origin).request({ method: "PUT", bucket: "b", key: "k", body, payload: "unsigned" }),
    ).rejects.toMatchObject({ code: "EIO", message: "/disk/file: the disk failed" });
    expect(requests).toBeLessThan(2);
  });

  it.each([
    [undefined, "interrupted"],
    [new Error("whatever a caller has"), "interrupted"],
    [new DOMException("late", "TimeoutError"), "unavailable"],
  ])("ends when aborted for %s", async (reason, kind) => {
    const origin = await serve(() => undefined);
    const controller = new AbortController();
    const failed = client(origin).request({ method: "GET", signal: controller.signal });
    controller.abort(reason);
    await expect(failed).rejects.toMatchObject({ name: "AppError", kind });
  });

  it("never begins when the body cannot be hashed", async () => {
    const { asked, handler } = script();
    const body = {
      length: 3,
      open: () => {
        throw Object.assign(new Error("ENOENT"), { code: "ENOENT", path: "/gone" });
      },
    };
    const request = { method: "PUT", bucket: "b", key: "k", body, payload: "signed" } as const;
    await expect(client("http://h", {}, { handler }).request(request)).rejects.toMatchObject({
      kind: "not-found",
      message: "/gone: no such file or directory",
    });
    const signal = AbortSignal.abort();
    await expect(
      client("http://h", {}, { handler }).request({ ...request, body: stream(3, 1), signal }),
    ).rejects.toMatchObject({ kind: "interrupted" });
    expect(asked).toEqual([]);
  });

  it("ends at once when aborted while it waits", async () => {
    const { handler } = script({ status: 503, headers: { "retry-after": "50" } });
    const controller = new AbortController();
    await expect(
      client("http://h", {}, { handler }).request({
        method: "GET",
        signal: controller.signal,
        onRetry: ({ delayMs }) => {
          expect(delayMs).toBe(50_000);
          controller.abort();
        },
      }),
    ).rejects.toMatchObject({ kind: "interrupted" });
  });
});

describe("a large upload", () => {
  const large = () => stream(1024 * 1024, 2);

  it("asks before it sends, until the bucket has accepted one", async () => {
    const expects: (string | undefined)[] = [];
    const origin = await serve((request, response) => {
      expects.push(request.headers.expect);
      void bodyOf(request).then(() => response.end());
    }).then(async (origin) => origin);
    const to = client(origin);
    for (let index = 0; index < 2; index++) {
      await to.request({
        method: "PUT",
        bucket: "b",
        key: "k",
        body: large(),
        payload: "unsigned",
      });
    }
    await to.request({ method: "PUT", bucket: "c", key: "k", body: large(), payload: "unsigned" });
    // Node's server answers the expectation by itself, and hides nothing.
    expect(expects).toEqual(["100-continue", undefined, "100-continue"]);
  });

  it("goes on without asking where the service does not know the question", async () => {
    const expects: (string | undefined)[] = [];
    const { createServer } = await import("node:http");
    const server = createServer((request, response) => {
      expects.push(request.headers.expect);
      void bodyOf(request).then(() => response.end());
    });
    server.on("checkContinue", (_request, response) => {
      expects.push("refused");
      response.writeHead(417).end();
    });
    const origin = await listen(server);
    await client(origin).request({
      method: "PUT",
      bucket: "b",
      key: "k",
      body: large(),
      payload: "unsigned",
    });
    expect(expects).toEqual(["refused", undefined]);
  });
});

describe("correcting", () => {
  it("a wrong clock from the server's, and remembers it", async () => {
    const ahead = Date.now() + 3_600_000;
    const times: number[] = [];
    let requests = 0;
    const origin = await serve((request, response) => {
      requests++;
      const time = (request.headers["x-amz-date"] as string).replace(
        /^(....)(..)(..)T(..)(..)(..)Z$/,
        "$1-$2-$3T$4:$5:$6Z",
      );
      times.push(Date.parse(time));
      response.setHeader("date", new Date(ahead).toUTCString());
      if (Math.abs(Date.parse(time) - ahead) > 900_000)
        s3Error(response, 403, "RequestTimeTooSkewed");
      else response.end();
    });
    const to = client(origin);
    await to.request({ method: "GET", bucket: "b" });
    await to.request({ method: "POST", bucket: "b" });
    expect(requests).toBe(3);
    expect(Math.abs(times[2]! - ahead)).toBeLessThan(60_000);
    const url = await to.presign({ method: "GET", bucket: "b", key: "k" }, 60);
    expect(url.searchParams.get("X-Amz-Date")!.slice(0, 8)).toBe(
      new Date(ahead).toISOString().slice(0, 10).replaceAll("-", ""),
    );
  });

  it("a wrong clock only once, and then fails with an error that names it", async () => {
    let requests = 0;
    const origin = await serve((_request, response) => {
      requests++;
      s3Error(response, 403, "RequestTimeTooSkewed");
    });
    await expect(client(origin).request({ method: "GET", bucket: "b" })).rejects.toMatchObject({
      code: "RequestTimeTooSkewed",
      kind: "denied",
      hint: "set this machine's clock",
    });
    expect(requests).toBe(2);
  });

  it("a HEAD that is refused without a message, when the clocks are far apart", async () => {
    const { asked, handler } = script(
      { status: 403, headers: { date: new Date(Date.now() - 7_200_000).toUTCString() } },
      { status: 403 },
      { status: 200 },
    );
    await client("http://h", {}, { handler }).request({ method: "HEAD", bucket: "b", key: "k" });
    expect(asked.map(({ method }) => method)).toEqual(["HEAD", "GET", "HEAD"]);
  });

  it("a HEAD that was signed before another refusal told the right time", async () => {
    const skewed = new Date(Date.now() + 7_200_000).toUTCString();
    let refusals = 0;
    let release: () => void = () => undefined;
    const learnt = new Promise<void>((resolve) => (release = resolve));
    const origin = await serve((request, response) => {
      response.setHeader("date", skewed);
      const signed = request.headers["x-amz-date"] as string;
      if (
        signed.slice(0, 13) === new Date(skewed).toISOString().replaceAll(/[-:]/g, "").slice(0, 13)
      )
        return void response.end(release());
      refusals += 1;
      if (request.method !== "HEAD") return s3Error(response, 403, "RequestTimeTooSkewed");
      // Its refusal arrives when the offset is right already.
      void learnt.then(() => response.writeHead(403).end());
    });
    const to = client(origin);
    await Promise.all([
      to.request({ method: "HEAD", bucket: "b", key: "k" }),
      to.request({ method: "GET", bucket: "b", key: "k" }),
    ]);
    expect(refusals).toBe(2);
  });

  it("but not a clock that is a few minutes off: the refusal is about something else", async () => {
    const { asked, handler } = script(
      { status: 403, headers: { date: new Date(Date.now() - 240_000).toUTCString() } },
      { status: 403 },
    );
    const head = { method: "HEAD", bucket: "b", key: "k" };
    await expect(client("http://h", {}, { handler }).request(head)).rejects.toMatchObject({
      code: "AccessDenied",
    });
    expect(asked.map(({ method }) => method)).toEqual(["HEAD", "GET"]);
  });

  it("a region the service names, for this bucket from then on", async () => {
    const { asked, handler } = script(
      { status: 400, body: xml("AuthorizationHeaderMalformed", "<Region>eu-1</Region>") },
      { status: 200 },
      { status: 200 },
      { status: 200 },
    );
    const to = client("http://h:9000", {}, { handler });
    await to.request({ method: "GET", bucket: "b" });
    await to.request({ method: "GET", bucket: "b", key: "k" });
    await to.request({ method: "GET", bucket: "other" });
    expect(asked.map(scopeOf)).toEqual([
      "us-east-1/s3/aws4_request",
      "eu-1/s3/aws4_request",
      "eu-1/s3/aws4_request",
      "us-east-1/s3/aws4_request",
    ]);
    expect(new Set(asked.map(({ origin }) => origin))).toEqual(new Set(["http://h:9000"]));
  });

  it("a bucket in another of Amazon's regions, at that region's host", async () => {
    const { asked, handler } = script(
      {
        status: 301,
        headers: { "x-amz-bucket-region": "eu-west-1" },
        body: xml("PermanentRedirect"),
      },
      { status: 200 },
    );
    await client("https://s3.us-east-1.amazonaws.com", {}, { handler }).request({
      method: "HEAD",
      bucket: "my-b",
    });
    expect(asked.map(({ origin }) => origin)).toEqual([
      "https://my-b.s3.us-east-1.amazonaws.com",
      "https://my-b.s3.eu-west-1.amazonaws.com",
    ]);
    expect(scopeOf(asked[1])).toBe("eu-west-1/s3/aws4_request");
  });

  it("a new bucket's host, to which Amazon redirects for a while", async () => {
    const { asked, handler } = script(
      {
        status: 307,
        headers: { location: "https://my-b.s3-us-west-2.amazonaws.com/k" },
        body: xml("TemporaryRedirect"),
      },
      { status: 200 },
    );
    await client("https://s3.amazonaws.com", {}, { handler }).request({
      method: "PUT",
      bucket: "my-b",
      key: "k",
      body: Buffer.from("x"),
    });
    expect(asked[1]!.origin).toBe("https://my-b.s3.us-west-2.amazonaws.com");
    expect(scopeOf(asked[1])).toBe("us-west-2/s3/aws4_request");
  });

  it("credentials that expired early, when their source has new ones", async () => {
    const fresh: Credentials = { accessKeyId: "NEW", secretAccessKey: "new" };
    const { asked, handler } = script({ status: 400, body: xml("ExpiredToken") }, { status: 200 });
    await client(
      "http://h",
      {},
      {
        handler,
        credentials: async (options) => (options?.refresh ? fresh : KEYS),
      },
    ).request({ method: "GET", bucket: "b" });
    expect(asked[1]!.headers["authorization"]).toContain("Credential=NEW/");
  });
});

describe("a redirect to another host", () => {
  it.each([301, 302, 307, 308])(
    "with %d is not followed: the other host gets no request",
    async (status) => {
      let leaked = 0;
      const other = await serve((_request, response) => {
        leaked++;
        response.end();
      });
      const origin = await serve((_request, response) => {
        response.writeHead(status, { location: `${other}/b/k` }).end("<html>moved</html>");
      });
      await expect(
        client(origin).request({ method: "GET", bucket: "b", key: "k" }),
      ).rejects.toMatchObject({
        code: "Redirected",
        kind: "usage",
        message: expect.stringContaining(other),
      });
      expect(leaked).toBe(0);
    },
  );

  it.each([
    "http://my-b.s3.eu-west-1.amazonaws.com/k",
    "https://my-b.s3.eu-west-1.amazonaws.com.evil.example/k",
    "https://s3.amazonaws.com.cn/k",
    "https://evil-amazonaws.com/k",
    "https://x.execute-api.us-east-1.amazonaws.com/k",
  ])("%s is no endpoint of Amazon's S3 over the same channel", async (location) => {
    const { asked, handler } = script({ status: 307, headers: { location } });
    await expect(
      client("https://s3.us-east-1.amazonaws.com", { region: "eu-west-1" }, { handler }).request({
        method: "GET",
        bucket: "my-b",
        key: "k",
      }),
    ).rejects.toMatchObject({ code: "Redirected" });
    expect(asked.every(({ origin }) => origin.endsWith(".amazonaws.com"))).toBe(true);
  });
});

describe("an endpoint that cannot be used", () => {
  const pair = selfSigned();

  it("speaks TLS where http was given", async () => {
    const origin = await serveTls(pair, (_request, response) => response.end());
    await expect(
      client(origin.replace("https:", "http:")).request({ method: "GET" }),
    ).rejects.toMatchObject({
      code: "WrongScheme",
      kind: "usage",
      hint: expect.stringContaining("https://"),
    });
  });

  it("speaks plain HTTP where https was given, and the error does not suggest it", async () => {
    const origin = await serve((_request, response) => response.end());
    await expect(
      client(origin.replace("http:", "https:")).request({ method: "GET" }),
    ).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("TLS could not be agreed on"),
      hint: expect.not.stringContaining("http:"),
    });
  });

  it("has a certificate of an unknown authority", async () => {
    const origin = await serveTls(pair, (_request, response) => response.end());
    await expect(client(origin).request({ method: "GET" })).rejects.toMatchObject({
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
      kind: "denied",
      hint: expect.stringContaining("--ca-file"),
    });
  });

  it("is down", async () => {
    const origin = await serve(() => undefined);
    await expect(
      client("http://127.0.0.1:1", {}, { maxAttempts: 2 }).request({ method: "GET" }),
    ).rejects.toMatchObject({ code: "ECONNREFUSED", kind: "unavailable" });
    expect(origin).toBeDefined();
  });

  it("is a web site", async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(404, { "content-type": "text/html" }).end("<html>not found</html>");
    });
    await expect(client(origin).request({ method: "GET", bucket: "b" })).rejects.toMatchObject({
      code: "NotS3",
      kind: "usage",
      message: expect.stringContaining("is not an S3 endpoint"),
    });
  });

  it("breaks off in the middle of an answer", async () => {
    const origin = await serveRaw((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\nx"));
    });
    const answer = await client(origin).request({ method: "GET", bucket: "b", key: "k" });
    await expect(readAll(answer.body, 1e6)).rejects.toMatchObject({
      code: "ECONNRESET",
      kind: "unavailable",
      name: "AppError",
    });
  });
});

it("closes its connections", async () => {
  let open = 0;
  const { createServer } = await import("node:http");
  const server = createServer((_request, response) => response.end());
  server.on("connection", (socket) => {
    open++;
    socket.on("close", () => open--);
  });
  const origin = await listen(server);
  const to = client(origin);
  await readAll((await to.request({ method: "GET" })).body, 10);
  expect(open).toBe(1);
  to.close();
  await expect.poll(() => open).toBe(0);
  onTestFinished(() => undefined);
});

describe("an answer without a message", () => {
  it("to a HEAD is explained by asking the bucket, and corrected", async () => {
    const { asked, handler } = script(
      { status: 400 },
      { status: 400, body: xml("AuthorizationHeaderMalformed", "<Region>eu-1</Region>") },
      { status: 200 },
    );
    await client("http://h", {}, { handler }).request({ method: "HEAD", bucket: "b", key: "k" });
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "HEAD /b/k",
      "GET /b",
      "HEAD /b/k",
    ]);
    expect(scopeOf(asked[2])).toBe("eu-1/s3/aws4_request");
  });

  it("to a HEAD stays as it was when the bucket does answer", async () => {
    const { handler } = script({ status: 403 }, { status: 200, body: "<ListBucketResult/>" });
    await expect(
      client("http://h", {}, { handler }).request({ method: "HEAD", bucket: "b", key: "k" }),
    ).rejects.toMatchObject({ code: "AccessDenied", kind: "denied" });
  });

  it("to an upload that was cut off is explained the same way", async () => {
    const origin = await serveRaw((socket) => {
      socket.on("data", (bytes: Buffer) => {
        if (bytes.toString("latin1", 0, 3) === "PUT") return socket.resetAndDestroy();
        const body = xml("SignatureDoesNotMatch");
        return socket.end(
          `HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
    });
    await expect(
      client(origin).request({ method: "PUT", bucket: "b", key: "k", body: Buffer.from("hello") }),
    ).rejects.toMatchObject({ code: "SignatureDoesNotMatch", kind: "denied" });
  });
});
