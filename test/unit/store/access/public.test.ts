/** Public access, and the pages that may use it, over real sockets without a signature. */
import {
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  DeletePublicAccessBlockCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetObjectAclCommand,
  PutBucketAclCommand,
  PutBucketCorsCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { makeBucket, sdkFor } from "../../../support/sdk.js";
import { type RunningStore, startStore } from "../../../support/store.js";

let store: RunningStore;
let s3: S3Client;
let Bucket: string;
let count = 0;

beforeAll(async () => {
  store = await startStore({ publicBuckets: ["open"] });
  s3 = sdkFor(store);
});
afterAll(() => store.close());
beforeEach(async () => {
  Bucket = `bucket-${count++}`;
  await makeBucket(s3, Bucket, { "a/1": "one", b: "two" });
});

const get = (path: string, init?: RequestInit) => fetch(`${store.endpoint}/${path}`, init);
const statuses = async (...paths: string[]) =>
  Promise.all(paths.map(async (path) => (await get(path)).status));

const allow = (Action: string | string[], Resource: string) =>
  s3.send(
    new PutBucketPolicyCommand({
      Bucket,
      Policy: JSON.stringify({
        Statement: [{ Effect: "Allow", Principal: "*", Action, Resource }],
      }),
    }),
  );

describe("without a signature", () => {
  it("nothing can be done with private buckets", async () => {
    expect(await statuses("", Bucket, `${Bucket}/b`, `${Bucket}/none`)).toEqual([
      403, 403, 403, 403,
    ]);
    expect((await get("nowhere")).status).toBe(404);
    for (const method of ["PUT", "DELETE", "POST"]) {
      expect((await get(`${Bucket}/b`, { method })).status).toBe(403);
    }
  });

  it("a policy's keys can be read, and no others, and nothing else can be done with them", async () => {
    await allow("s3:GetObject", `arn:aws:s3:::${Bucket}/a/*`);
    expect(await (await get(`${Bucket}/a/1`)).text()).toBe("one");
    expect(await statuses(`${Bucket}/b`, Bucket, `${Bucket}/a/1?tagging`)).toEqual([403, 403, 403]);
    for (const method of ["PUT", "DELETE"]) {
      expect((await get(`${Bucket}/a/1`, { method })).status).toBe(403);
    }
    expect(await statuses(`${Bucket}/a/1?response-content-type=text/html`)).toEqual([400]);
    expect(await statuses(`${Bucket}/a/1?versionId=null`)).toEqual([403]);
    expect(await s3.send(new GetBucketPolicyStatusCommand({ Bucket }))).toMatchObject({
      PolicyStatus: { IsPublic: true },
    });
    const { Policy } = await s3.send(new GetBucketPolicyCommand({ Bucket }));
    expect(Policy).toContain(`arn:aws:s3:::${Bucket}/a/*`);
    await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
    expect(await statuses(`${Bucket}/a/1`)).toEqual([403]);
  });

  it("a bucket can be listed where its policy says so", async () => {
    await allow(["s3:ListBucket", "s3:GetBucketLocation"], `arn:aws:s3:::${Bucket}`);
    expect(await statuses(Bucket, `${Bucket}?list-type=2`, `${Bucket}?location`)).toEqual([
      200, 200, 200,
    ]);
    expect(await statuses(`${Bucket}/b`, `${Bucket}?versions`, `${Bucket}?policy`)).toEqual([
      403, 403, 403,
    ]);
  });

  it("a policy that says anything more is refused, and changes nothing", async () => {
    await expect(allow("s3:PutObject", `arn:aws:s3:::${Bucket}/*`)).rejects.toMatchObject({
      name: "NotImplemented",
    });
    await expect(s3.send(new GetBucketPolicyCommand({ Bucket }))).rejects.toMatchObject({
      name: "NoSuchBucketPolicy",
    });
  });

  it("an object can be read by its ACL, and its bucket listed by the bucket's", async () => {
    const Key = "open";
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: "x", ACL: "public-read" }));
    expect(await statuses(`${Bucket}/open`, `${Bucket}/b`, Bucket)).toEqual([200, 403, 403]);
    const { Grants } = await s3.send(new GetObjectAclCommand({ Bucket, Key }));
    expect(Grants).toMatchObject([
      { Permission: "FULL_CONTROL", Grantee: { Type: "CanonicalUser" } },
      { Permission: "READ", Grantee: { Type: "Group" } },
    ]);
    await s3.send(new PutObjectAclCommand({ Bucket, Key, ACL: "private" }));
    await s3.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy: { Grants } }));
    expect(await statuses(`${Bucket}/open`, Bucket)).toEqual([403, 200]);
    // Those who may list may also know that a key is missing.
    expect(await statuses(`${Bucket}/none`)).toEqual([404]);
    expect((await s3.send(new GetBucketAclCommand({ Bucket }))).Grants).toHaveLength(2);
  });

  it("objects can be put and deleted where the ACL of their bucket says so, and no more", async () => {
    await s3.send(new PutBucketAclCommand({ Bucket, ACL: "public-read-write" }));
    const { Grants } = await s3.send(new GetBucketAclCommand({ Bucket }));
    expect(Grants?.map(({ Permission }) => Permission)).toEqual(["FULL_CONTROL", "READ", "WRITE"]);
    await s3.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy: { Grants } }));
    const put = async (path: string, headers?: Record<string, string>, body = "theirs") =>
      (await get(`${Bucket}/${path}`, { method: "PUT", body, headers })).status;
    expect(await put("new", { "x-amz-acl": "public-read" })).toBe(200);
    expect(await (await get(`${Bucket}/new`)).text()).toBe("theirs");
    const chunked = {
      "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
      "x-amz-decoded-content-length": "2",
      "x-amz-trailer": "x-amz-checksum-crc32",
      "x-amz-acl": "public-read",
    };
    const chunks = "2\r\nab\r\n0\r\nx-amz-checksum-crc32:noNIbQ==\r\n\r\n";
    expect(await put("chunked", chunked, chunks.replace("noNIbQ==", "AAAAAA=="))).toBe(400);
    expect(await put("chunked", chunked, chunks)).toBe(200);
    expect(await (await get(`${Bucket}/chunked`)).text()).toBe("ab");
    const signed = { "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" };
    expect(await put("chunked", { ...chunked, ...signed }, chunks)).toBe(400);
    expect(await put("copied", { "x-amz-copy-source": `/${Bucket}/b` })).toBe(403);
    expect(await put("b?tagging", {}, "<Tagging/>")).toBe(403);
    expect(await put("?acl", { "x-amz-acl": "private" })).toBe(403);
    const remove = async (path: string) =>
      (await get(`${Bucket}/${path}`, { method: "DELETE" })).status;
    expect([await remove("b"), await remove("new?versionId=null"), await remove("")]).toEqual([
      204, 403, 403,
    ]);
    expect(await statuses(Bucket, `${Bucket}/a/1`, `${Bucket}/new`)).toEqual([200, 403, 200]);
    await s3.send(new PutBucketAclCommand({ Bucket, ACL: "public-read" }));
    expect([await put("new"), await remove("new")]).toEqual([403, 403]);
  });

  it.each([{ ACL: "authenticated-read" as const }, { GrantRead: "id=1" }])(
    "no other grant is accepted: %j",
    async (grant) => {
      const put = new PutObjectCommand({ Bucket, Key: "x", Body: "x", ...grant });
      const refused = { name: "AccessControlListNotSupported" };
      await expect(s3.send(put)).rejects.toMatchObject(refused);
      await expect(
        s3.send(new CreateBucketCommand({ Bucket: `${Bucket}-x`, ...grant })),
      ).rejects.toMatchObject(refused);
    },
  );

  it("nothing is public behind a public access block", async () => {
    await allow("s3:GetObject", `arn:aws:s3:::${Bucket}/a/*`);
    await s3.send(new PutObjectAclCommand({ Bucket, Key: "b", ACL: "public-read" }));
    expect(await statuses(`${Bucket}/a/1`, `${Bucket}/b`)).toEqual([200, 200]);
    const PublicAccessBlockConfiguration = {
      BlockPublicAcls: true,
      IgnorePublicAcls: true,
      BlockPublicPolicy: true,
      RestrictPublicBuckets: true,
    };
    await s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration }));
    expect(await statuses(`${Bucket}/a/1`, `${Bucket}/b`)).toEqual([403, 403]);
    const denied = { name: "AccessDenied" };
    await expect(allow("s3:GetObject", `arn:aws:s3:::${Bucket}/*`)).rejects.toMatchObject(denied);
    await expect(
      s3.send(new PutBucketAclCommand({ Bucket, ACL: "public-read" })),
    ).rejects.toMatchObject(denied);
    await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
    expect(await statuses(`${Bucket}/a/1`, `${Bucket}/b`)).toEqual([200, 200]);
  });

  it("ACLs do not count where the bucket owner is enforced", async () => {
    await s3.send(new PutObjectAclCommand({ Bucket, Key: "b", ACL: "public-read" }));
    const own = (ObjectOwnership: "BucketOwnerEnforced" | "ObjectWriter") =>
      s3.send(
        new PutBucketOwnershipControlsCommand({
          Bucket,
          OwnershipControls: { Rules: [{ ObjectOwnership }] },
        }),
      );
    await own("BucketOwnerEnforced");
    expect(await statuses(`${Bucket}/b`)).toEqual([403]);
    await expect(
      s3.send(new PutObjectAclCommand({ Bucket, Key: "b", ACL: "public-read" })),
    ).rejects.toMatchObject({ name: "AccessControlListNotSupported" });
    await own("ObjectWriter");
    const { OwnershipControls } = await s3.send(new GetBucketOwnershipControlsCommand({ Bucket }));
    expect(OwnershipControls).toEqual({ Rules: [{ ObjectOwnership: "ObjectWriter" }] });
    expect(await statuses(`${Bucket}/b`)).toEqual([200]);
  });

  it("a bucket that was made public when the server started can be read and listed", async () => {
    await makeBucket(s3, "open", { k: "x" });
    expect(await statuses("open", "open/k", "open/none")).toEqual([200, 200, 404]);
    expect((await get("open/k", { method: "DELETE" })).status).toBe(403);
  });
});

describe("a page of another origin", () => {
  const origin = "http://app.test:5173";
  const preflight = (path: string, method: string, headers?: string) =>
    get(path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        ...(headers === undefined ? {} : { "access-control-request-headers": headers }),
      },
    });

  beforeEach(() =>
    s3.send(
      new PutBucketCorsCommand({
        Bucket,
        CORSConfiguration: {
          CORSRules: [
            {
              ID: "app",
              AllowedOrigins: ["http://app.test:*"],
              AllowedMethods: ["PUT", "GET"],
              AllowedHeaders: ["content-type", "x-amz-*"],
              ExposeHeaders: ["ETag"],
              MaxAgeSeconds: 60,
            },
            { AllowedOrigins: ["*"], AllowedMethods: ["HEAD"] },
          ],
        },
      }),
    ),
  );

  it("learns what it may send", async () => {
    const answer = await preflight(`${Bucket}/new`, "PUT", "Content-Type, x-amz-meta-a");
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "PUT, GET",
      "access-control-allow-headers": "content-type, x-amz-meta-a",
      "access-control-expose-headers": "ETag",
      "access-control-max-age": "60",
      "access-control-allow-credentials": "true",
      vary: expect.stringContaining("Origin") as string,
    });
    const any = await preflight(`${Bucket}/new`, "HEAD");
    expect(any.headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each([
    ["DELETE", undefined],
    ["PUT", "authorization"],
  ])("is refused what no rule allows: %s with %s", async (method, headers) => {
    const answer = await preflight(`${Bucket}/new`, method, headers);
    expect(answer.status).toBe(403);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("may read answers, refusals too", async () => {
    const answer = await get(`${Bucket}/b`, { headers: { origin } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    const other = await get(`${Bucket}/b`, { headers: { origin: "http://evil.test" } });
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("has its rules given back as they were set", async () => {
    const { CORSRules } = await s3.send(new GetBucketCorsCommand({ Bucket }));
    expect(CORSRules).toMatchObject([
      { ID: "app", AllowedOrigins: ["http://app.test:*"], MaxAgeSeconds: 60 },
      { AllowedOrigins: ["*"], AllowedMethods: ["HEAD"] },
    ]);
  });

  it.each([
    [{ AllowedOrigins: ["*.*.test"], AllowedMethods: ["GET"] }],
    [{ AllowedOrigins: ["*"], AllowedMethods: ["PATCH"] }],
    [{ AllowedOrigins: ["*"], AllowedMethods: ["GET"], ExposeHeaders: ["a\r\nb: c"] }],
  ])("cannot be given an invalid rule: %j", async (rule) => {
    const put = new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } });
    await expect(s3.send(put)).rejects.toMatchObject({ name: "InvalidRequest" });
  });
});
