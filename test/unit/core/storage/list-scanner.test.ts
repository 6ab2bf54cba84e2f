import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { scanListing as scan } from "../../../../src/core/storage/list-scanner.js";
import { escapeXml } from "../../../../src/protocol/xml.js";

const AWS_PAGE = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>photos/</Prefix><NextContinuationToken>1a/b+c==</NextContinuationToken><KeyCount>3</KeyCount><MaxKeys>1000</MaxKeys><Delimiter>/</Delimiter><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><Contents><Key>photos/a+b%2Bc.jpg</Key><LastModified>2024-08-01T10:01:08.000Z</LastModified><ETag>&quot;9b2cf535f27731c974343645a3985328&quot;</ETag><ChecksumAlgorithm>CRC32</ChecksumAlgorithm><Size>5368709121</Size><StorageClass>STANDARD</StorageClass><Owner><ID>id</ID><DisplayName>Key</DisplayName></Owner></Contents><Contents><Key>photos/z</Key><LastModified>2024-08-01T10:01:09.500Z</LastModified><ETag>&quot;0-1&quot;</ETag><Size>0</Size><StorageClass>GLACIER</StorageClass></Contents><CommonPrefixes><Prefix>photos/2024%20summer/</Prefix></CommonPrefixes></ListBucketResult>`;

/** The page with its objects read. */
function scanListing(text: string) {
  const root = text.includes("ListVersionsResult") ? "ListVersionsResult" : "ListBucketResult";
  const page = scan({ bytes: Buffer.from(text), giveBack: () => undefined }, root);
  return { ...page, objects: page.objects.entries() };
}

describe("scanListing", () => {
  it("reads a page as AWS writes it", () => {
    expect(scanListing(AWS_PAGE)).toEqual({
      objects: [
        {
          type: "object",
          key: "photos/a b+c.jpg",
          size: 5_368_709_121,
          lastModified: Date.UTC(2024, 7, 1, 10, 1, 8),
          etag: "9b2cf535f27731c974343645a3985328",
          storageClass: "STANDARD",
        },
        {
          type: "object",
          key: "photos/z",
          size: 0,
          lastModified: Date.UTC(2024, 7, 1, 10, 1, 9, 500),
          etag: "0-1",
          storageClass: "GLACIER",
        },
      ],
      prefixes: [{ type: "prefix", key: "photos/2024 summer/" }],
      isTruncated: true,
      next: { NextContinuationToken: "1a/b+c==" },
    });
  });

  it("reads prefixes, attributes, white space, comments, other orders and missing fields", () => {
    const page = scanListing(`
      <?xml version="1.0"?> <!-- <Contents> -->
      <s3:ListBucketResult xmlns:s3='urn:x' note="a > b">
        <s3:IsTruncated >false</s3:IsTruncated>
        <s3:Marker/>
        <s3:Contents>
          <s3:Size>7</s3:Size>
          <s3:Owner>
            <s3:Key>not the key</s3:Key>
          </s3:Owner>
          <s3:Unknown a='>'>5</s3:Unknown>
          <s3:ETag>"plain"</s3:ETag>
          <s3:Key xml:space="preserve"> spaced &amp;#38;&#x26;&#38; </s3:Key>
        </s3:Contents>
        <s3:Contents><s3:Key></s3:Key></s3:Contents>
      </s3:ListBucketResult>
    `);
    expect(page).toEqual({
      objects: [
        { type: "object", key: " spaced &#38;&& ", size: 7, etag: "plain" },
        { type: "object", key: "", size: 0 },
      ],
      prefixes: [],
      isTruncated: false,
      next: {},
    });
  });

  it("reads versions and delete markers in their order", () => {
    const page = scanListing(
      "<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>a&lt;</NextKeyMarker>" +
        "<NextVersionIdMarker>v&amp;1</NextVersionIdMarker>" +
        "<DeleteMarker><Key>a</Key><VersionId>3</VersionId><IsLatest>true</IsLatest></DeleteMarker>" +
        "<Version><Key>a</Key><VersionId>null</VersionId><IsLatest>false</IsLatest><Size>9</Size></Version>" +
        "</ListVersionsResult>",
    );
    expect(page.objects).toEqual([
      { type: "object", key: "a", size: 0, versionId: "3", isLatest: true, isDeleteMarker: true },
      {
        type: "object",
        key: "a",
        size: 9,
        versionId: "null",
        isLatest: false,
        isDeleteMarker: false,
      },
    ]);
    expect(page.next).toEqual({ NextKeyMarker: "a<", NextVersionIdMarker: "v&1" });
  });

  it("leaves keys as they are unless the page says they are URL-encoded", () => {
    const page = scanListing(
      "<ListBucketResult><Contents><Key>a%20b+c</Key></Contents></ListBucketResult>",
    );
    expect(page.objects[0]?.key).toBe("a%20b+c");
  });

  it("gives back any key, escaped or encoded", () => {
    const key = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(key, { maxLength: 20 }), fc.boolean(), (keys, encoded) => {
        const write = encoded ? encodeURIComponent : escapeXml;
        const contents = keys.map((one) => `<Contents><Key>${write(one)}</Key></Contents>`);
        const page = scanListing(
          `<ListBucketResult><EncodingType>${encoded ? "url" : ""}</EncodingType>${contents.join("")}</ListBucketResult>`,
        );
        expect(page.objects.map((entry) => entry.key)).toEqual(keys);
      }),
    );
  });

  it("never takes a truncated page as a listing", () => {
    for (let length = 0; length < AWS_PAGE.length; length++) {
      expect(() => scanListing(AWS_PAGE.slice(0, length))).toThrow(SyntaxError);
    }
  });

  it.each([
    ["<html><body>hello</body></html>"],
    ["<Error><Code>AccessDenied</Code></Error>"],
    ["{}"],
    [""],
    ["<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>"],
  ])("refuses %j", (text) => {
    expect(() => scanListing(text)).toThrow(SyntaxError);
  });
});
