import { describe, expect, it } from "vitest";

import { parsePolicy, policyAllows } from "../../../../src/store/access/policy.js";

const STATEMENT = {
  Effect: "Allow",
  Principal: "*",
  Action: "s3:GetObject",
  Resource: "arn:aws:s3:::b/public/*",
};
const policy = (change: object = {}, rest: object = {}) =>
  JSON.stringify({ Version: "2012-10-17", Statement: [{ ...STATEMENT, ...change }], ...rest });

describe("a bucket policy", () => {
  it("grants everyone what it says, and nothing else", () => {
    const statements = parsePolicy(policy(), "b");
    expect(policyAllows(statements, "s3:GetObject", "b/public/a/b")).toBe(true);
    expect(policyAllows(statements, "s3:GetObject", "b/private")).toBe(false);
    expect(policyAllows(statements, "s3:GetObject", "bb/public/a")).toBe(false);
    expect(policyAllows(statements, "s3:ListBucket", "b")).toBe(false);
  });

  it.each([
    { Principal: { AWS: "*" } },
    { Principal: { AWS: ["*"] } },
    { Action: ["s3:GetObject", "s3:GetObjectVersion"] },
    { Action: ["s3:ListBucket", "s3:GetBucketLocation"], Resource: "arn:aws:s3:::b" },
    { Sid: "read" },
  ])("may be written as %j", (change) => {
    expect(parsePolicy(policy(change), "b")).toHaveLength(1);
  });

  it.each([
    [policy({ Effect: "Deny" }), "NotImplemented"],
    [policy({ Principal: { AWS: "arn:aws:iam::1:root" } }), "NotImplemented"],
    [policy({ Principal: { Service: "*" } }), "MalformedPolicy"],
    [policy({ Principal: undefined }), "MalformedPolicy"],
    [policy({ NotPrincipal: "*" }), "NotImplemented"],
    [policy({ Action: "s3:PutObject" }), "NotImplemented"],
    [policy({ Action: "s3:*" }), "NotImplemented"],
    [policy({ Action: "constructor" }), "NotImplemented"],
    [policy({ Action: [] }), "MalformedPolicy"],
    [policy({ NotAction: "s3:PutObject" }), "NotImplemented"],
    [policy({ Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } } }), "NotImplemented"],
    [policy({ Resource: "arn:aws:s3:::other/*" }), "MalformedPolicy"],
    [policy({ Resource: "*" }), "MalformedPolicy"],
    [policy({ Resource: "arn:aws:s3:::b" }), "MalformedPolicy"],
    [policy({}, { Version: "2020-01-01" }), "MalformedPolicy"],
    [policy({}, { Statement: [] }), "MalformedPolicy"],
    ["", "MalformedPolicy"],
    ["[]", "MalformedPolicy"],
    [`{"Statement":"${"x".repeat(21_000)}"}`, "MalformedPolicy"],
  ])("that says anything else is refused: %s", (text, code) => {
    expect(() => parsePolicy(text, "b")).toThrow(expect.objectContaining({ code }) as Error);
  });
});
