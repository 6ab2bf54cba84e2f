/** The lists of unfinished uploads and of their parts. */
import { describe, expect, it } from "vitest";

import { openBucket } from "../../../../src/core/storage/s3.js";
import { answer, script } from "../../../support/answers.js";
import { clientFor } from "../../../support/client.js";

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}

function bucketThatSays(body: string) {
  const { handler } = script(() => answer(200, body));
  return openBucket(clientFor({ handler }), "b");
}

describe("a list of uploads", () => {
  it("that is truncated without a marker is an error, not an endless list", async () => {
    const bucket = bucketThatSays(
      "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>" +
        "<Upload><Key>k</Key><UploadId>1</UploadId></Upload></ListMultipartUploadsResult>",
    );
    await expect(all(bucket.listUploads())).rejects.toMatchObject({
      code: "InvalidResponse",
      message: "the list of uploads of b cannot be read: it comes back to where it was",
    });
  });

  it.each([
    ["a service that says that it encodes", true, "a b%", "a+b%25"],
    ["a gateway that encodes when asked, and does not say so", false, "a b%", "a%20b%25"],
    ["a service that never encodes", false, "a%20b", "a%20b"],
  ])("has the exact names of %s", async (_, says, key, encoded) => {
    const { handler } = script(({ query }) => {
      const named = query.includes("encoding-type") ? encoded : key;
      const told = says ? "<EncodingType>url</EncodingType>" : "";
      const upload = `<Upload><Key>${named}</Key><UploadId>1</UploadId></Upload>`;
      return answer(
        200,
        `<ListMultipartUploadsResult>${told}${upload}</ListMultipartUploadsResult>`,
      );
    });
    const found = await all(openBucket(clientFor({ handler }), "b").listUploads());
    expect(found.map((upload) => upload.key)).toEqual([key]);
  });
});

describe("a list of parts", () => {
  it("that continues where it began is an error", async () => {
    const bucket = bucketThatSays(
      "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker>" +
        "<Part><PartNumber>1</PartNumber><Size>5</Size><ETag>e</ETag></Part></ListPartsResult>",
    );
    await expect(all(bucket.listParts("k", "1"))).rejects.toMatchObject({
      code: "InvalidResponse",
    });
  });
});
