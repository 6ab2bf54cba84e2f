import { describe, expect, it } from "vitest";

import { bucketService } from "../../../../src/core/storage/buckets.js";
import type { HttpRequest } from "../../../../src/protocol/message.js";
import { answer, refusal, script } from "../../../support/answers.js";
import { clientFor } from "../../../support/client.js";

function serviceOf(respond: Parameters<typeof script>[0], region?: string) {
  const run = script(respond);
  return { ...run, service: bucketService(clientFor({ handler: run.handler, region })) };
}

describe("bucketService", () => {
  it("lists buckets from page to page", async () => {
    const { service, asked } = serviceOf((_, i) =>
      answer(
        200,
        `<?xml version="1.0"?><ListAllMyBucketsResult><Buckets><Bucket><Name>b${i}</Name>` +
          `<CreationDate>2024-08-01T10:01:08.000Z</CreationDate></Bucket></Buckets>` +
          `${i === 0 ? "<ContinuationToken>t</ContinuationToken>" : ""}</ListAllMyBucketsResult>`,
      ),
    );
    const created = Date.UTC(2024, 7, 1, 10, 1, 8);
    expect(await service.list()).toEqual([
      { name: "b0", created },
      { name: "b1", created },
    ]);
    expect(asked).toEqual(["GET /", "GET /?continuation-token=t"]);
  });

  it("says that a web page is no S3 service", async () => {
    const { service } = serviceOf(() => answer(200, "<html>", { "content-type": "text/html" }));
    await expect(service.list()).rejects.toMatchObject({ kind: "usage", code: "NotS3" });
  });

  it("names the region of a new bucket, unless it is the first one's", async () => {
    const first = serviceOf(() => answer(200));
    await first.service.make("b");
    expect(first.requests[0]?.body).toBeUndefined();
    const other = serviceOf(() => answer(200), "eu-west-1");
    await other.service.make("b");
    expect((other.requests[0]!.body as Buffer).toString()).toContain(
      "<LocationConstraint>eu-west-1</LocationConstraint>",
    );
  });

  it("counts one's own existing bucket as made only when asked to", async () => {
    const { service } = serviceOf(({ method }) =>
      method === "HEAD" ? answer(404) : refusal(409, "BucketAlreadyOwnedByYou"),
    );
    await expect(service.make("b")).rejects.toMatchObject({ code: "BucketAlreadyOwnedByYou" });
    await service.make("b", { ignoreExisting: true });
    const answers =
      (names: string) =>
      ({ method }: HttpRequest) => {
        if (method === "PUT") return refusal(409, "BucketAlreadyExists");
        if (method === "HEAD") return answer(403);
        const list = `<Buckets>${names}</Buckets>`;
        return answer(200, `<ListAllMyBucketsResult>${list}</ListAllMyBucketsResult>`);
      };
    const mine = serviceOf(answers("<Bucket><Name>b</Name></Bucket>"));
    await mine.service.make("b", { ignoreExisting: true });
    const other = serviceOf(answers("<Bucket><Name>a</Name></Bucket>"));
    await expect(other.service.make("b", { ignoreExisting: true })).rejects.toMatchObject({
      code: "BucketAlreadyExists",
    });
  });

  it("makes nothing while it cannot find out what is there", async () => {
    const { service, asked } = serviceOf(({ method }) =>
      method === "HEAD" ? answer(400) : answer(200),
    );
    await expect(service.make("b", { ignoreExisting: true })).rejects.toMatchObject({});
    expect(asked.filter((line) => line.startsWith("PUT"))).toEqual([]);
  });

  it("tells yes and no from every other answer", async () => {
    expect(await serviceOf(() => answer(200)).service.exists("b")).toBe(true);
    expect(await serviceOf(() => answer(404)).service.exists("b")).toBe(false);
    const denied = serviceOf(() => answer(403)).service.exists("b");
    await expect(denied).rejects.toMatchObject({ kind: "denied" });
  });

  it("turns the SDK's failures into the same errors", async () => {
    const { service } = serviceOf(() => refusal(404, "NoSuchBucket"));
    const expected = { name: "AppError", kind: "not-found", code: "NoSuchBucket" };
    await expect(service.getVersioning("b")).rejects.toMatchObject(expected);
    await expect(service.getTags("b")).rejects.toMatchObject(expected);
  });

  it("takes a missing set of tags for an empty one", async () => {
    const { service } = serviceOf(() => refusal(404, "NoSuchTagSet"));
    expect(await service.getTags("b")).toEqual({});
  });
});
