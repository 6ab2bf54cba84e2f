import { describe, expect, it } from "vitest";

import {
  type Policy,
  allowedBuckets,
  offers,
  requireAccess,
  requireBucket,
  requirePolicy,
} from "../../../src/mcp/policy.js";
import { TOOLS } from "../../../src/mcp/tools/index.js";

const open: Policy = {
  readOnly: false,
  buckets: [],
  tools: [],
  toolsets: ["edit", "admin"],
  presign: true,
};
const offered = (policy: Policy) =>
  TOOLS.filter((tool) => offers(policy, tool)).map(({ name }) => name);

describe("offers", () => {
  it("offers every tool when nothing is restricted", () => {
    expect(offered(open)).toHaveLength(TOOLS.length);
    expect(offered({ ...open, presign: false })).not.toContain("presign_url");
  });

  it("offers nothing that writes when read-only", () => {
    expect(offered({ ...open, readOnly: true })).toEqual([
      "list_buckets",
      "list_objects",
      "get_object",
      "stat_object",
      "search_objects",
      "grep_objects",
      "transfer_folder",
      "compare",
      "list_versions",
      "bucket_info",
    ]);
  });

  it("does not offer to make or delete buckets under an allow-list", () => {
    const names = offered({ ...open, buckets: ["photos"] });
    expect(names).not.toContain("create_bucket");
    expect(names).not.toContain("delete_bucket");
    expect(names).toContain("upload_file");
  });

  it("offers the chosen tools, as far as they apply", () => {
    const tools = ["get_object", "put_object"];
    expect(offered({ ...open, tools })).toEqual(tools);
    expect(offered({ ...open, readOnly: true, tools })).toEqual(["get_object"]);
  });
});

describe("requirePolicy", () => {
  it.each([
    [{ buckets: [""] }, '--bucket ""'],
    [{ buckets: ["a/b/c"] }, "--bucket a/b/c: the alias a is not served"],
    [{ buckets: ["local/b/c"] }, '--bucket "local/b/c"'],
    [{ buckets: ["other/photos"] }, "the alias other is not served"],
    [{ readOnly: true, tools: ["put_object"] }, "no tool is left"],
  ])("refuses %j at the start", (part, said) => {
    expect(() => requirePolicy({ ...open, ...part }, ["local"], TOOLS)).toThrow(said);
  });

  it("accepts any other combination", () => {
    const buckets = ["photos", "local/logs"];
    expect(() => requirePolicy({ ...open, buckets }, ["local"], TOOLS)).not.toThrow();
  });
});

describe("allowedBuckets", () => {
  it("reads NAME for every alias and ALIAS/NAME for one", () => {
    const policy = { ...open, buckets: ["photos", "prod/logs"] };
    expect(allowedBuckets(policy, "prod")).toEqual(["photos", "logs"]);
    expect(allowedBuckets(policy, "local")).toEqual(["photos"]);
    expect(allowedBuckets(open, "local")).toBeUndefined();
  });
});

describe("the checks", () => {
  it("refuse writing when read-only", () => {
    expect(() => requireAccess({ ...open, readOnly: true }, "write")).toThrow("--read-only");
    expect(() => requireAccess({ ...open, readOnly: true }, "read")).not.toThrow();
    expect(() => requireAccess(open, "write")).not.toThrow();
  });

  it("refuse a bucket that is not on the list, and name those that are", () => {
    const policy = { ...open, buckets: ["photos", "prod/logs"] };
    expect(() => requireBucket(policy, "local", "photos")).not.toThrow();
    expect(() => requireBucket(policy, "local", "logs")).toThrow(
      expect.objectContaining({ code: "AccessDenied", hint: "use photos" }),
    );
    expect(() => requireBucket(policy, "local", "Photos")).toThrow();
  });

  it.each([
    "",
    "a",
    "ab",
    "..",
    ".",
    "a/b",
    "photos/../logs",
    "photos%2f",
    "a?b",
    "a\nb",
    "é".repeat(3),
    "x".repeat(256),
  ])("refuse %j, which no service accepts as a bucket", (bucket) => {
    expect(() => requireBucket(open, "local", bucket)).toThrow(
      expect.objectContaining({ code: "InvalidBucketName" }),
    );
  });
});
