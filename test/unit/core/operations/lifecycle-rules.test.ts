import { expect, it } from "vitest";

import { describeRule, toRule } from "../../../../src/core/operations/lifecycle-rules.js";

it("puts each wish into the place that S3 has for it", () => {
  const rule = toRule({
    id: "r",
    prefix: "logs/",
    tags: { stage: "raw" },
    expire: 30,
    noncurrent: 7,
    abort: 3,
    transition: 10,
    storageClass: "GLACIER",
  });
  expect(rule).toEqual({
    ID: "r",
    Status: "Enabled",
    Filter: { And: { Prefix: "logs/", Tags: [{ Key: "stage", Value: "raw" }] } },
    Expiration: { Days: 30 },
    NoncurrentVersionExpiration: { NoncurrentDays: 7 },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 3 },
    Transitions: [{ Days: 10, StorageClass: "GLACIER" }],
  });
});

it("says a prefix alone, one tag alone, and several together, as S3 wants each", () => {
  const filter = (wish: object) => toRule({ id: "r", expire: 1, ...wish }).Filter;
  expect(filter({})).toEqual({ Prefix: "" });
  expect(filter({ prefix: "a/" })).toEqual({ Prefix: "a/" });
  expect(filter({ tags: { a: "1" } })).toEqual({ Tag: { Key: "a", Value: "1" } });
  expect(filter({ tags: { a: "1", b: "2" } })).toMatchObject({ And: { Prefix: "" } });
});

it("refuses a rule that would do nothing, also a transition to no class", () => {
  for (const wish of [{}, { prefix: "a/" }, { transition: 3 }, { storageClass: "GLACIER" }]) {
    expect(() => toRule({ id: "r", ...wish })).toThrow(/nothing to do/);
  }
});

it("describes what a rule does, also one that another tool has made", () => {
  const wish = { id: "r", prefix: "logs/", tags: { stage: "raw" }, expire: 1, abort: 3 };
  expect(describeRule(toRule(wish))).toBe(
    "logs/ stage=raw: expires after 1 day, unfinished uploads go after 3 days",
  );
  expect(describeRule({ Prefix: "old/", Expiration: { Date: "2030-01-02T00:00:00Z" } })).toBe(
    "old/: expires on 2030-01-02",
  );
  expect(describeRule({ Expiration: { ExpiredObjectDeleteMarker: true } })).toBe(
    "everything: drops lone delete markers",
  );
  expect(describeRule({ Transitions: [{ Days: 5, StorageClass: "GLACIER" }] })).toBe(
    "everything: to GLACIER after 5 days",
  );
  expect(describeRule({ Filter: { Prefix: "x" } })).toBe("x: see pail ilm get");
});
