/** The engine's settings by the flags about transfers and headers. */
import { describe, expect, it } from "vitest";

import { objectHeaders, tuning } from "../../../src/cli/transfer-flags.js";

describe("tuning", () => {
  it("reads sizes, and verifies unless --no-verify is given", () => {
    const sizes = { "part-size": "8MiB", "limit-upload": "1KiB", "limit-download": "2KiB" };
    expect(tuning({ ...sizes, concurrency: 3, checksum: "SHA1", "no-verify": true })).toEqual({
      concurrency: 3,
      partSize: 8_388_608,
      limitUpload: 1024,
      limitDownload: 2048,
      checksum: "SHA1",
      verify: false,
    });
    expect(tuning({ "no-verify": false })).toEqual({ verify: true });
  });

  it("refuses an invalid size", () => {
    expect(() => tuning({ "no-verify": false, "part-size": "big" })).toThrow(
      expect.objectContaining({ kind: "usage" }),
    );
  });
});

describe("objectHeaders", () => {
  it("takes each flag for its own header, and a date as HTTP writes it", () => {
    expect(
      objectHeaders({
        "content-type": "text/plain",
        "cache-control": "no-store",
        "content-encoding": "gzip",
        "content-disposition": "attachment",
        "content-language": "de",
        expires: "2026-01-31",
        "storage-class": "STANDARD_IA",
      }),
    ).toEqual({
      contentType: "text/plain",
      cacheControl: "no-store",
      contentEncoding: "gzip",
      contentDisposition: "attachment",
      contentLanguage: "de",
      expires: "Sat, 31 Jan 2026 00:00:00 GMT",
      storageClass: "STANDARD_IA",
    });
  });

  it("has metadata in lower case, and none where none was given", () => {
    expect(objectHeaders({ metadata: ["Owner=A=B", "x="] }).metadata).toEqual({
      owner: "A=B",
      x: "",
    });
    expect(objectHeaders({})).not.toHaveProperty("metadata");
  });

  it("refuses an invalid date and an invalid pair", () => {
    expect(() => objectHeaders({ expires: "soon" })).toThrow(/"soon" is not a date/);
    expect(() => objectHeaders({ metadata: ["alone"] })).toThrow(
      expect.objectContaining({ kind: "usage" }),
    );
  });
});
