import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import { openBucket } from "../../../../src/core/storage/s3.js";
import { childText, childrenOf, escapeXml, parseXml } from "../../../../src/protocol/xml.js";
import type { HttpRequest, HttpResponse } from "../../../../src/protocol/message.js";
import { answer, refusal, script } from "../../../support/answers.js";
import { clientFor } from "../../../support/client.js";

function bucketOf(respond: Parameters<typeof script>[0]) {
  const run = script(respond);
  return { ...run, bucket: openBucket(clientFor({ handler: run.handler }), "b") };
}

const bodyOf = (request: HttpRequest): string => (request.body as Buffer).toString();

function result(...outcomes: string[]): HttpResponse {
  return answer(200, `<?xml version="1.0"?><DeleteResult>${outcomes.join("")}</DeleteResult>`);
}

const deleted = (key: string, more = "") =>
  `<Deleted><Key>${escapeXml(key)}</Key>${more}</Deleted>`;

/** Answers as a service that does not know of Quiet: what was deleted, in reverse order. */
function deleteAll(request: HttpRequest): HttpResponse {
  if (request.method === "DELETE") return answer(204);
  const keys = childrenOf(parseXml(bodyOf(request)), "Object").map(
    (object) => childText(object, "Key") ?? "",
  );
  return result(...keys.toReversed().map((key) => deleted(key)));
}

describe("remove", () => {
  it("sends one batch with its MD5, and answers in the order of the targets", async () => {
    const { bucket, asked, requests } = bucketOf(deleteAll);
    const targets = ["a&b<c>", "line\nfeed\rreturn\ttab", " space ", "\u{1f600}"].map((key) => ({
      key,
    }));
    expect(await bucket.remove(targets)).toEqual(targets);
    expect(asked).toEqual(["POST /b?delete="]);
    const md5 = createHash("md5").update(bodyOf(requests[0]!)).digest("base64");
    expect(requests[0]?.headers["content-md5"]).toBe(md5);
  });

  it("removes keys that XML cannot carry one by one", async () => {
    const { bucket, asked } = bucketOf(deleteAll);
    const targets = ["a", "bell\u0007", "b", "\uffff"].map((key) => ({ key }));
    expect(await bucket.remove(targets)).toEqual(targets);
    expect(asked.toSorted()).toEqual([
      "DELETE /b/%EF%BF%BF",
      "DELETE /b/bell%07",
      "POST /b?delete=",
    ]);
  });

  it("reports each key's own failure", async () => {
    const { bucket } = bucketOf(() =>
      result("<Error><Key>b</Key><Code>AccessDenied</Code><Message>no</Message></Error>"),
    );
    expect(await bucket.remove([{ key: "a" }, { key: "b" }])).toEqual([
      { key: "a" },
      { key: "b", error: { code: "AccessDenied", message: "no" } },
    ]);
  });

  it("throws when the service reports a failure of a key that was not sent", async () => {
    const { bucket } = bucketOf(() =>
      result("<Error><Key>x</Key><Code>AccessDenied</Code></Error>"),
    );
    await expect(bucket.remove([{ key: "a" }, { key: "b" }])).rejects.toMatchObject({
      code: "AccessDenied",
    });
  });

  it("tells versions of one key apart", async () => {
    const { bucket } = bucketOf(() =>
      result(
        deleted("a", "<VersionId>2</VersionId>"),
        "<Error><Key>a</Key><VersionId>1</VersionId><Code>AccessDenied</Code></Error>",
      ),
    );
    const [one, two] = await bucket.remove([
      { key: "a", versionId: "1" },
      { key: "a", versionId: "2" },
    ]);
    expect(one?.error?.code).toBe("AccessDenied");
    expect(two?.error).toBeUndefined();
  });

  it("tells a delete marker from a removal, and asks for that only until it knows", async () => {
    const marker = "<DeleteMarker>true</DeleteMarker>";
    const { bucket, requests } = bucketOf((request) => {
      if (request.method === "DELETE") return answer(204, "", { "x-amz-delete-marker": "true" });
      const quiet = bodyOf(request).includes("<Quiet>true</Quiet>");
      return quiet ? result() : result(deleted("a", marker), deleted("b", marker));
    });
    const both = [{ key: "a" }, { key: "b" }];
    const marked = both.map((target) => ({ ...target, marker: true }));
    expect(await bucket.remove(both)).toEqual(marked);
    expect(await bucket.remove(both)).toEqual(marked);
    expect(requests.map((request) => bodyOf(request).includes("<Quiet>true"))).toEqual([
      false,
      true,
    ]);
    expect(await bucket.remove([{ key: "a" }])).toEqual([{ key: "a", marker: true }]);
    // The header then says whether the removed version was a delete marker.
    const version = { key: "a", versionId: "1" };
    expect(await bucket.remove([version])).toEqual([version]);
  });

  it("understands an answer that leaves out the version null", async () => {
    const { bucket } = bucketOf(() => result(deleted("a"), deleted("b")));
    const targets = ["a", "b"].map((key) => ({ key, versionId: "null" }));
    expect(await bucket.remove(targets)).toEqual(targets);
  });

  it("sends a plain DELETE for one key", async () => {
    const { bucket, asked } = bucketOf(() => answer(204));
    expect(await bucket.remove([{ key: "a/b", versionId: "1" }])).toEqual([
      { key: "a/b", versionId: "1" },
    ]);
    expect(asked).toEqual(["DELETE /b/a/b?versionId=1"]);
  });

  it("returns the refusal of one key, and throws a failure that concerns more than a key", async () => {
    const denied = bucketOf(() => refusal(403, "AccessDenied"));
    expect(await denied.bucket.remove([{ key: "a" }])).toEqual([
      { key: "a", error: { code: "AccessDenied", message: expect.any(String) } },
    ]);
    for (const [status, code] of [
      [404, "NoSuchBucket"],
      [403, "SignatureDoesNotMatch"],
    ] as const) {
      const { bucket } = bucketOf(() => refusal(status, code));
      await expect(bucket.remove([{ key: "a" }])).rejects.toMatchObject({ code });
      await expect(bucket.remove([{ key: "a" }, { key: "b" }])).rejects.toMatchObject({ code });
    }
  });

  it("does not let a failure hide earlier removals", async () => {
    const { bucket } = bucketOf((request) =>
      request.method === "POST" ? deleteAll(request) : refusal(404, "NoSuchBucket"),
    );
    expect(await bucket.remove([{ key: "a" }, { key: "b" }, { key: "bell\u0007" }])).toEqual([
      { key: "a" },
      { key: "b" },
      { key: "bell\u0007", error: { code: "NoSuchBucket", message: expect.any(String) } },
    ]);
  });

  it("removes one by one on a service without batches, found out once", async () => {
    const { bucket, asked } = bucketOf((request) =>
      request.method === "POST" ? refusal(501, "NotImplemented") : answer(204),
    );
    const targets = [{ key: "a" }, { key: "b" }];
    expect(await bucket.remove(targets)).toEqual(targets);
    expect(await bucket.remove(targets)).toEqual(targets);
    expect(asked.filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(asked.filter((line) => line.startsWith("DELETE"))).toHaveLength(4);
  });
});
