/** Uploads by HTML form, as a browser sends them, over real sockets. */
import { createHmac } from "node:crypto";

import {
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readForm } from "../../../src/store/form/multipart.js";
import { type Condition, encodePolicy, signedForm } from "../../support/form.js";
import { keysOf, makeBucket, sdkFor } from "../../support/sdk.js";
import { type RunningStore, startStore } from "../../support/store.js";

const Bucket = "uploads";
let store: RunningStore;
let s3: S3Client;

beforeAll(async () => {
  store = await startStore();
  s3 = sdkFor(store);
  await makeBucket(s3, Bucket);
});
afterAll(() => store.close());

const signed4 = (conditions: readonly Condition[], expiresIn?: number) =>
  signedForm(store, conditions, expiresIn);

/** The same with version 2, as boto3 signs unless told otherwise. */
function signed2(conditions: readonly Condition[]): Record<string, string> {
  const policy = encodePolicy(conditions);
  const signature = createHmac("sha1", store.secretAccessKey).update(policy).digest("base64");
  return { AWSAccessKeyId: store.accessKeyId, policy, signature };
}

async function post(
  fields: Readonly<Record<string, string>>,
  body: string | Buffer,
  name = "a.txt",
  path = Bucket,
) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set("file", new Blob([body]), name);
  const url = `${store.endpoint}/${path}`;
  const answer = await fetch(url, { method: "POST", body: form, redirect: "manual" });
  const text = await answer.text();
  const code = /<Code>([^<]*)/.exec(text)?.[1];
  return { status: answer.status, headers: answer.headers, text, code };
}

describe("a form", () => {
  it.each([
    ["4", signed4],
    ["2", signed2],
  ])("signed with version %s uploads what its policy allows", async (version, sign) => {
    const key = `user/v${version}/\${filename}`;
    const conditions: Condition[] = [
      { bucket: Bucket },
      ["starts-with", "$key", "user/"],
      { "Content-Type": "text/plain" },
      ["starts-with", "$x-amz-meta-who", ""],
      ["content-length-range", 1, 1_000_000],
    ];
    const body = Buffer.alloc(300_000, "file\r\n--almost a boundary ");
    const fields = { key, "Content-Type": "text/plain", "x-amz-meta-who": "é" };
    const answer = await post({ ...fields, ...sign(conditions) }, body, "C:\\photos\\x y.txt");
    expect(answer.status).toBe(204);
    const Key = `user/v${version}/x y.txt`;
    expect(answer.headers.get("location")).toBe(
      `${store.endpoint}/${Bucket}/user/v${version}/x%20y.txt`,
    );
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(Buffer.from(await got.Body!.transformToByteArray()).equals(body)).toBe(true);
    expect(got).toMatchObject({ ContentType: "text/plain", ETag: answer.headers.get("etag") });
  });

  it("is answered in the way it asks for", async () => {
    const conditions: Condition[] = [
      { key: "k" },
      ["starts-with", "$success_action_status", ""],
      ["starts-with", "$success_action_redirect", ""],
    ];
    const ask = (more: Record<string, string>) =>
      post(
        {
          key: "k",
          success_action_status: "",
          success_action_redirect: "",
          ...more,
          ...signed4(conditions),
        },
        "x",
      );
    const created = await ask({ success_action_status: "201" });
    expect(created.status).toBe(201);
    expect(created.text).toContain("<PostResponse><Location>");
    expect((await ask({ success_action_status: "200" })).status).toBe(200);
    expect((await ask({ success_action_status: "999" })).status).toBe(204);
    const gone = await ask({ success_action_redirect: "http://app.test/done?a=1" });
    expect(gone.status).toBe(303);
    expect(gone.headers.get("location")).toMatch(
      /^http:\/\/app\.test\/done\?a=1&bucket=uploads&key=k&etag=%22[\da-f]{32}%22$/,
    );
    expect((await ask({ success_action_redirect: "javascript:alert(1)" })).status).toBe(204);
  });

  it("can carry tags, a checksum and an ACL", async () => {
    const tagging = "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>";
    const fields = {
      key: "rich",
      tagging,
      acl: "public-read",
      "x-amz-checksum-sha1": "EfatjsUqKYSsqmfj4qn3T3DfL7k=",
    };
    const conditions = Object.entries(fields).map(([name, value]) => ({ [name]: value }));
    const wrong = await post({ ...fields, ...signed4(conditions) }, "other");
    expect(wrong).toMatchObject({ status: 400, code: "BadDigest" });
    const { "x-amz-checksum-sha1": _, ...right } = fields;
    const rest = Object.entries(right).map(([name, value]) => ({ [name]: value }));
    expect((await post({ ...right, ...signed4(rest) }, "x")).status).toBe(204);
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: "rich" }));
    expect(TagSet).toEqual([{ Key: "a", Value: "b" }]);
    expect((await fetch(`${store.endpoint}/${Bucket}/rich`)).status).toBe(200);
  });

  it("goes to a bucket, never to an object", async () => {
    const done = await post({ key: "k2", ...signed4([{ key: "k2" }]) }, "x", "a", `${Bucket}/k2`);
    expect(done).toMatchObject({ status: 405, code: "MethodNotAllowed" });
  });

  const KEY: Condition = { key: "refused" };
  it.each<[string, () => Record<string, string>, string, number, string]>([
    ["no policy", () => ({}), "x", 403, "AccessDenied"],
    [
      "a field that no condition speaks of",
      () => ({ ...signed4([KEY]), "x-amz-meta-a": "b" }),
      "x",
      403,
      "AccessDenied",
    ],
    ["another key", () => signed4([{ key: "other" }]), "x", 403, "AccessDenied"],
    ["another bucket", () => signed4([KEY, { bucket: "other" }]), "x", 403, "AccessDenied"],
    [
      "a condition on a field that is not there",
      () => signed4([KEY, ["starts-with", "$acl", ""]]),
      "x",
      403,
      "AccessDenied",
    ],
    ["an expired policy", () => signed4([KEY], -1), "x", 403, "AccessDenied"],
    [
      "a policy changed after it was signed",
      () => ({ ...signed4([KEY]), policy: encodePolicy([KEY]) }),
      "x",
      403,
      "SignatureDoesNotMatch",
    ],
    [
      "a signature of version 2 that is not",
      () => ({ ...signed2([KEY]), signature: "AAAA" }),
      "x",
      403,
      "SignatureDoesNotMatch",
    ],
    [
      "an unknown key",
      () => ({ ...signed2([KEY]), AWSAccessKeyId: "nobody" }),
      "x",
      403,
      "InvalidAccessKeyId",
    ],
    [
      "a file too large",
      () => signed4([KEY, ["content-length-range", 0, 3]]),
      "four",
      400,
      "EntityTooLarge",
    ],
    [
      "a file too small",
      () => signed4([KEY, ["content-length-range", 5, 9]]),
      "four",
      400,
      "EntityTooSmall",
    ],
    [
      "an expiration that is no ISO 8601",
      () => {
        const day = JSON.stringify({ expiration: "2099-01-01 00:00:00", conditions: [KEY] });
        const policy = Buffer.from(day).toString("base64");
        const signature = createHmac("sha1", store.secretAccessKey).update(policy).digest("base64");
        return { AWSAccessKeyId: store.accessKeyId, policy, signature };
      },
      "x",
      400,
      "InvalidPolicyDocument",
    ],
    [
      "a condition that is none",
      () => signed4([KEY, ["matches", "$key", "x"]]),
      "x",
      400,
      "InvalidPolicyDocument",
    ],
    [
      "an ACL that is not known",
      () => ({ ...signed4([KEY, { acl: "authenticated-read" }]), acl: "authenticated-read" }),
      "x",
      400,
      "AccessControlListNotSupported",
    ],
    [
      "fields that are too large",
      () => ({ ...signed4([KEY]), "x-ignore-a": "x".repeat(21_000) }),
      "x",
      400,
      "MaxPostPreDataLengthExceededError",
    ],
  ])("with %s uploads nothing", async (_, fields, body, status, code) => {
    expect(await post({ key: "refused", ...fields() }, body)).toMatchObject({ status, code });
    expect(await keysOf(s3, Bucket, "refused")).toEqual([]);
  });

  it("that breaks off stores nothing", async () => {
    const head = Object.entries({ key: "refused", ...signed4([KEY]) })
      .map(
        ([name, value]) =>
          `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join("");
    const body = `${head}--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nhalf`;
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const url = `${store.endpoint}/${Bucket}`;
    const answer = await fetch(url, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("IncompleteBody");
    expect(await keysOf(s3, Bucket, "refused")).toEqual([]);
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key: "refused" }))).rejects.toThrow();
  });
});

describe("a form's bytes", () => {
  it("are the same however they are cut", async () => {
    const file = "\r\n--b\r-\r\n--\r\n--x\r\n";
    const text = `--b\r\nContent-Disposition: form-data; name="Key"\r\n\r\nva\r\nlue\r\n--b\r\ncontent-disposition: form-data; filename="a/\\"q\\".txt"; name="file"\r\nContent-Type: text/plain\r\n\r\n${file.replaceAll("--b", "--c")}\r\n--b--\r\n`;
    const bytes = Buffer.from(text);
    for (let size = 1; size < bytes.length; size += 1) {
      const form = await readForm(cut(bytes, size), "multipart/form-data; boundary=b");
      expect(Object.fromEntries(form.fields)).toEqual({ key: "va\r\nlue" });
      expect(form.filename).toBe('"q".txt');
      const pieces: Buffer[] = [];
      for await (const piece of form.file) pieces.push(Buffer.from(piece));
      expect(Buffer.concat(pieces).toString()).toBe(file.replaceAll("--b", "--c"));
    }
  });

  async function* cut(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
});
