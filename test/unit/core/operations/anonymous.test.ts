import { describe, expect, it } from "vitest";

import { accessOf, type Policy, withAccess } from "../../../../src/core/operations/anonymous.js";

const other = { Effect: "Deny", Principal: "*", Action: "s3:*", Resource: "arn:aws:s3:::b/*" };
const with_ = (access: Parameters<typeof withAccess>[3], policy?: Policy, prefix = "pub/") =>
  withAccess(policy, "b", prefix, access);

describe("everybody's access", () => {
  it("is given, changed and taken away, and each is read back", () => {
    let policy: Policy | undefined;
    for (const access of ["download", "upload", "public"] as const) {
      policy = with_(access, policy);
      expect(accessOf(policy, "b", "pub/")).toBe(access);
      expect(policy?.Statement).toHaveLength(1);
    }
    expect(policy).toMatchObject({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Resource: ["arn:aws:s3:::b/pub/*"] }],
    });
    expect(with_("none", policy)).toBeUndefined();
  });

  it("leaves every other statement as it is", () => {
    const conditional = {
      Effect: "Allow",
      Principal: "*",
      Action: "s3:GetObject",
      Resource: "arn:aws:s3:::b/pub/*",
      Condition: { IpAddress: { "aws:SourceIp": "192.0.2.0/24" } },
    };
    const policy = { Version: "2008-10-17", Statement: [other, conditional] };
    const changed = with_("download", policy);
    expect(changed).toMatchObject({ Version: "2008-10-17" });
    expect(changed?.Statement).toMatchObject([other, conditional, { Effect: "Allow" }]);
    expect(with_("none", changed)).toEqual(policy);
  });

  it("holds for just that prefix, not for the one above or beside it", () => {
    const policy = with_("public");
    expect(accessOf(policy, "b", "")).toBe("none");
    expect(accessOf(policy, "b", "pub")).toBe("none");
    expect(accessOf(policy, "other", "pub/")).toBe("none");
    expect(with_("none", policy, "")).toEqual(policy);
  });

  it("is read from a policy in other words, and never taken for more than it says", () => {
    const statement = { Effect: "Allow", Principal: "*", Resource: "arn:aws:s3:::b/pub/*" };
    const read = (more: object) => accessOf({ Statement: { ...statement, ...more } }, "b", "pub/");
    expect(read({ Action: "s3:GetObject" })).toBe("download");
    expect(read({ Action: "s3:PutObject", Principal: { AWS: "*" } })).toBe("upload");
    expect(read({ Action: "s3:GetObject", Effect: "Deny" })).toBe("none");
    expect(read({ Action: "s3:GetObject", Principal: { AWS: ["arn:aws:iam::1:root"] } })).toBe(
      "none",
    );
    expect(read({ Action: "s3:*" })).toBe("none");
  });
});
