/** The raw request of `api`: how flags change it, and how it is shown. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import {
  apiSpec,
  bodyRecord,
  curlCommand,
  exitCodeOf,
  requestLines,
  responseHead,
} from "../../../src/cli/api-lines.js";
import { readAll } from "../../../src/protocol/message.js";

const directory = mkdtempSync(join(tmpdir(), "pail-api-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const place = { type: "remote", alias: "a", bucket: "b", key: "k", text: "a/b/k" } as const;
const HELLO_MD5 = "XUFAKrxLKna5cZ2REBfFkg==";

describe("apiSpec", () => {
  it("takes headers with : or =, queries without a value, and a body with its checksum", async () => {
    const flags = { data: "hello", header: ["X-One: 1", "x-two=a=b"], query: ["acl", "x=y=z"] };
    expect(await apiSpec("put", place, flags)).toEqual({
      method: "PUT",
      bucket: "b",
      key: "k",
      headers: { "x-one": "1", "x-two": "a=b", "content-md5": HELLO_MD5 },
      query: { acl: "", x: "y=z" },
      body: Buffer.from("hello"),
    });
  });

  it("reads a body from a file, as often as it is sent", async () => {
    const path = join(directory, "body");
    writeFileSync(path, "hello");
    const { body, headers } = await apiSpec("PUT", place, { data: `@${path}` });
    if (body === undefined || !("open" in body)) throw new Error("the body is not a stream");
    expect([body.length, headers?.["content-md5"]]).toEqual([5, HELLO_MD5]);
    for (let time = 0; time < 2; time += 1) {
      expect((await readAll(body.open(), 100)).toString()).toBe("hello");
    }
  });

  it("adds no checksum beside one that was given", async () => {
    const header = ["x-amz-checksum-crc32=AAAAAA=="];
    const { headers } = await apiSpec("PUT", place, { data: "x", header });
    expect(headers).toEqual({ "x-amz-checksum-crc32": "AAAAAA==" });
  });

  it("refuses an invalid method or header", async () => {
    const usage = { kind: "usage", code: "InvalidArgument" };
    await expect(apiSpec("a/b", place, {})).rejects.toMatchObject(usage);
    await expect(apiSpec("GET", place, { header: ["no header"] })).rejects.toMatchObject(usage);
  });
});

describe("a request as it is shown", () => {
  const request = {
    method: "HEAD",
    origin: "http://h:1",
    path: "/b/it's",
    query: "acl",
    headers: { host: "h:1", "x-amz-date": "now", "x-amz-security-token": "token" },
  };

  it("has no session token, on the wire or for curl", () => {
    expect(requestLines(request)).toEqual([
      "HEAD http://h:1/b/it's?acl",
      "host: h:1",
      "x-amz-date: now",
      "x-amz-security-token: $AWS_SESSION_TOKEN",
    ]);
    expect(curlCommand(request, undefined).split(" \\\n  ")).toEqual([
      "curl --head",
      "--path-as-is",
      "-H 'x-amz-date: now'",
      '-H "x-amz-security-token: $AWS_SESSION_TOKEN"',
      `'http://h:1/b/it'\\''s?acl'`,
    ]);
  });
});

describe("an answer", () => {
  it("is shown with its head, and in base64 where its bytes are not text", () => {
    const head = { status: 200, headers: { etag: "e" }, body: (async function* () {})() };
    expect(responseHead(head)).toEqual(["HTTP 200", "etag: e", ""]);
    expect(bodyRecord(Buffer.from("ä"))).toEqual({ body: "ä" });
    expect(bodyRecord(Buffer.from([0xff]))).toEqual({ bodyBase64: "/w==" });
  });

  it("ends the command with the exit code that belongs to its status", () => {
    expect([200, 304, 403, 404, 412, 503].map(exitCodeOf)).toEqual([0, 0, 4, 3, 5, 6]);
  });
});
