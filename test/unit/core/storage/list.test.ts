import { describe, expect, it } from "vitest";

import { openBucket } from "../../../../src/core/storage/s3.js";
import type { ListOptions } from "../../../../src/core/storage/storage.js";
import type { HttpResponse } from "../../../../src/protocol/message.js";
import { answer, refusal, script } from "../../../support/answers.js";
import { clientFor } from "../../../support/client.js";
import { until } from "../../../support/until.js";

function page(keys: readonly string[], rest = "", prefixes: readonly string[] = []): HttpResponse {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("");
  const groups = prefixes
    .map((key) => `<CommonPrefixes><Prefix>${key}</Prefix></CommonPrefixes>`)
    .join("");
  return answer(200, `<ListBucketResult>${rest}${contents}${groups}</ListBucketResult>`);
}

const more = (token: string) =>
  `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`;

function bucketOf(respond: Parameters<typeof script>[0]) {
  const run = script(respond);
  return { ...run, bucket: openBucket(clientFor({ handler: run.handler }), "b") };
}

async function keysOf(bucket: ReturnType<typeof bucketOf>["bucket"], options?: ListOptions) {
  const keys: string[] = [];
  for await (const entries of bucket.list(options)) keys.push(...entries.map(({ key }) => key));
  return keys;
}

describe("list", () => {
  it("goes from page to page by the service's token", async () => {
    const { bucket, asked } = bucketOf((_, i) =>
      i === 0 ? page(["x y1"], more("t/1+=")) : page(["x y2"]),
    );
    expect(await keysOf(bucket, { prefix: "x y" })).toEqual(["x y1", "x y2"]);
    expect(asked).toEqual([
      "GET /b?encoding-type=url&list-type=2&prefix=x%20y",
      "GET /b?continuation-token=t%2F1%2B%3D&encoding-type=url&list-type=2&prefix=x%20y",
    ]);
  });

  it("fetches the next page while the caller reads one", async () => {
    const { bucket, asked } = bucketOf((_, i) => page([`k${i}`], i < 3 ? more(`t${i}`) : ""));
    for await (const entries of bucket.list()) {
      const wanted = Math.min(Number(entries[0]!.key.slice(1)) + 2, 4);
      await until(() => asked.length === wanted);
    }
  });

  it("fetches no page ahead for a caller who takes pages by size", async () => {
    const { bucket, asked } = bucketOf((_, i) => page([`k${i}`], more(`t${i}`)));
    for await (const _ of bucket.list({ pageSize: 1 })) break;
    expect(asked).toEqual(["GET /b?encoding-type=url&list-type=2&max-keys=1"]);
  });

  it("gives up the page fetched ahead when the caller leaves", async () => {
    const { handler } = script((_, i) => page(["k"], more(`t${i}`)));
    let calls = 0;
    let state = "not asked";
    const client = clientFor({
      handler: async (request, options) => {
        if (++calls === 1) return handler(request, options);
        state = "waiting";
        return new Promise((_, reject) => {
          options?.signal?.addEventListener("abort", () => {
            state = "aborted";
            reject(options.signal?.reason);
          });
        });
      },
    });
    for await (const _ of openBucket(client, "b").list()) {
      await until(() => state === "waiting");
      break;
    }
    expect(state).toBe("aborted");
  });

  it("merges objects and prefixes by the bytes of their keys", async () => {
    const { bucket } = bucketOf(() => page(["a", "b.txt", "c"], "", ["a/", "b/", "d/"]));
    expect(await keysOf(bucket)).toEqual(["a", "a/", "b.txt", "b/", "c", "d/"]);
  });

  it("falls back to the first version of the request, once and for all", async () => {
    const { bucket, asked } = bucketOf((request) =>
      request.query.includes("list-type")
        ? refusal(501, "NotImplemented")
        : request.query.includes("marker")
          ? page(["c"])
          : page(["a", "b"], "<IsTruncated>true</IsTruncated>"),
    );
    expect(await keysOf(bucket)).toEqual(["a", "b", "c"]);
    expect(await keysOf(bucket)).toEqual(["a", "b", "c"]);
    expect(asked).toEqual([
      "GET /b?encoding-type=url&list-type=2",
      "GET /b?encoding-type=url",
      "GET /b?encoding-type=url&marker=b",
      "GET /b?encoding-type=url",
      "GET /b?encoding-type=url&marker=b",
    ]);
  });

  it("understands a service that ignores the version asked for", async () => {
    const { bucket, asked } = bucketOf((_, i) =>
      i === 0
        ? page(["a"], "<IsTruncated>true</IsTruncated><NextMarker>m</NextMarker>")
        : page(["z"]),
    );
    expect(await keysOf(bucket)).toEqual(["a", "z"]);
    expect(asked[1]).toBe("GET /b?encoding-type=url&marker=m");
  });

  it("notices a page that repeats", async () => {
    const { bucket, asked } = bucketOf(() => page(["a"], more("same")));
    await expect(keysOf(bucket)).rejects.toMatchObject({ code: "InvalidResponse" });
    expect(asked.length).toBeLessThan(4);
  });

  it.each([2, 3, 7, 100])("notices a circle of %d pages", async (length) => {
    const { bucket, asked } = bucketOf((_, i) => page(["a"], more(`t${i % length}`)));
    await expect(keysOf(bucket)).rejects.toMatchObject({
      code: "InvalidResponse",
      message: "the listing of b cannot be read: it comes back to where it was",
    });
    expect(asked.length).toBeLessThanOrEqual(3 * length + 2);
  });

  it("notices a circle that begins after other pages", async () => {
    const { bucket } = bucketOf((_, i) => page(["a"], more(i < 50 ? `${i}` : `t${i % 4}`)));
    await expect(keysOf(bucket)).rejects.toMatchObject({ code: "InvalidResponse" });
  });

  it("goes on through any number of empty pages", async () => {
    const { bucket } = bucketOf((_, i) => (i < 3000 ? page([], more(`t${i}`)) : page(["last"])));
    expect(await keysOf(bucket)).toEqual(["last"]);
  });

  it("leaves out entries that are not after the start, where a service lists them", async () => {
    const { bucket } = bucketOf(() => page(["b/x", "c"], "", ["a/", "b/"]));
    expect(await keysOf(bucket, { startAfter: "b/" })).toEqual(["b/x", "c"]);
  });

  it.each([
    ["flat", {}],
    ["in pages of a size", { pageSize: 1000 }],
    ["in prefixes", { delimiter: "/" }],
  ])("asks for no page beyond where it is to end, %s", async (_, options) => {
    const { bucket, asked } = bucketOf(() => page(["b", "c", "d"], more("t")));
    expect(await keysOf(bucket, { ...options, startAfter: "a", upTo: "c" })).toEqual(["b", "c"]);
    // One more may be asked for while the first is read.
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(asked[0]).toContain("start-after=a");
  });

  it.each([
    ["flat", {}],
    ["flat, as pages come", { order: "any" as const }],
    ["in pages of a size", { pageSize: 1000 }],
  ])("does not end early on a service without an order of keys, %s", async (_, options) => {
    const { bucket } = bucketOf((_, i) =>
      i === 0 ? page(["c", "a"], more("t")) : page(["z", "b"]),
    );
    const listed = keysOf(bucket, { ...options, upTo: "m" });
    await expect(listed).rejects.toMatchObject({ code: "InvalidResponse" });
  });

  it("sorts versions that come after their page's delete markers", async () => {
    const { bucket } = bucketOf(() =>
      answer(
        200,
        "<ListVersionsResult><Version><Key>a</Key><VersionId>1</VersionId></Version>" +
          "<Version><Key>b</Key><VersionId>1</VersionId></Version>" +
          "<DeleteMarker><Key>a</Key><VersionId>2</VersionId><IsLatest>true</IsLatest></DeleteMarker>" +
          "</ListVersionsResult>",
      ),
    );
    const found: (string | undefined)[][] = [];
    for await (const entries of bucket.list({ versions: true })) {
      for (const entry of entries) {
        found.push([entry.key, entry.type === "object" ? entry.versionId : undefined]);
      }
    }
    expect(found).toEqual([
      ["a", "2"],
      ["a", "1"],
      ["b", "1"],
    ]);
  });

  it("lists the newest first where a service lists a key's delete markers after its versions", async () => {
    const one = (type: string, id: string, second: number) =>
      `<${type}><Key>k</Key><VersionId>${id}</VersionId>` +
      `<LastModified>2026-01-01T00:00:0${second}Z</LastModified></${type}>`;
    const { bucket } = bucketOf(() =>
      answer(
        200,
        `<ListVersionsResult>${one("Version", "3", 3)}${one("Version", "1", 1)}` +
          `${one("DeleteMarker", "4", 4)}${one("DeleteMarker", "2", 2)}</ListVersionsResult>`,
      ),
    );
    const found: (string | undefined)[] = [];
    for await (const entries of bucket.list({ versions: true })) {
      found.push(...entries.map((entry) => ("versionId" in entry ? entry.versionId : undefined)));
    }
    expect(found).toEqual(["4", "3", "2", "1"]);
  });

  it("lists no version twice where a page begins with the last one of the page before", async () => {
    const version = (id: string) =>
      `<Version><Key>k</Key><VersionId>${id}</VersionId><IsLatest>false</IsLatest></Version>`;
    const { bucket } = bucketOf((request) =>
      answer(
        200,
        request.query.includes("version-id-marker=2")
          ? `<ListVersionsResult>${version("2")}${version("1")}</ListVersionsResult>`
          : `<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>` +
              `<NextVersionIdMarker>2</NextVersionIdMarker>${version("3")}${version("2")}</ListVersionsResult>`,
      ),
    );
    const ids: (string | undefined)[] = [];
    for await (const entries of bucket.list({ versions: true })) {
      for (const entry of entries) if (entry.type === "object") ids.push(entry.versionId);
    }
    expect(ids).toEqual(["3", "2", "1"]);
  });

  it("says that a web page is no S3 service, and refuses half a listing", async () => {
    const web = bucketOf(() => answer(200, "<html></html>", { "content-type": "text/html" }));
    await expect(keysOf(web.bucket)).rejects.toMatchObject({ code: "NotS3" });
    const half = bucketOf(() => answer(200, "<ListBucketResult><Contents><Key>a</Key>"));
    await expect(keysOf(half.bucket)).rejects.toMatchObject({
      kind: "unavailable",
      code: "InvalidResponse",
    });
  });

  it("throws the failure of a page fetched ahead in its turn", async () => {
    const { bucket } = bucketOf((_, i) =>
      i === 0 ? page(["a"], more("t")) : refusal(403, "AccessDenied"),
    );
    const seen: string[] = [];
    const listing = (async () => {
      for await (const entries of bucket.list()) seen.push(...entries.map(({ key }) => key));
    })();
    await expect(listing).rejects.toMatchObject({ kind: "denied", code: "AccessDenied" });
    expect(seen).toEqual(["a"]);
  });
});
