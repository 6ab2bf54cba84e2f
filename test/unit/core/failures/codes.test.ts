import { describe, expect, it } from "vitest";

import { codeOfStatus, factsOf, factsOfAnswer } from "../../../../src/core/failures/codes.js";

describe("the facts about a code", () => {
  it.each([
    ["SlowDown", { kind: "unavailable", retry: "unprocessed", throttled: true }],
    ["Throttling", { kind: "unavailable", retry: "unprocessed", throttled: true }],
    ["TooManyRequests", { kind: "unavailable", retry: "unprocessed", throttled: true }],
    ["RequestLimitExceeded", { kind: "unavailable", retry: "unprocessed", throttled: true }],
    ["ServiceUnavailable", { kind: "unavailable", retry: "idempotent", throttled: true }],
    ["InternalError", { kind: "unavailable", retry: "idempotent", throttled: false }],
    ["NoSuchBucket", { kind: "not-found", retry: "never", endsRun: true }],
    ["NoSuchKey", { kind: "not-found", retry: "never", endsRun: false }],
    ["ECONNREFUSED", { kind: "unavailable", retry: "unprocessed", endsRun: true }],
    ["ECONNRESET", { kind: "unavailable", retry: "idempotent", endsRun: false }],
    ["ENOSPC", { kind: "unavailable", retry: "never", endsRun: true }],
    ["CERT_HAS_EXPIRED", { kind: "denied", retry: "never" }],
  ])("%s", (code, facts) => {
    expect(factsOf(code)).toMatchObject(facts);
  });

  it("are none for an unknown code", () => {
    expect(factsOf("Curious")).toBeUndefined();
  });
});

describe("the facts about an answer", () => {
  it.each([
    [503, { kind: "unavailable", retry: "idempotent", throttled: true }],
    [429, { kind: "unavailable", retry: "unprocessed", throttled: true }],
    [502, { kind: "unavailable", retry: "idempotent", throttled: false }],
    [501, { kind: "usage", retry: "never", throttled: false }],
    [403, { kind: "denied", retry: "never", endsRun: false }],
    [418, { kind: "usage", retry: "never" }],
  ])("of status %d follow from the status when the code is unknown or missing", (status, facts) => {
    expect(factsOfAnswer("Curious", status)).toMatchObject(facts);
    expect(factsOfAnswer(codeOfStatus(status), status)).toMatchObject(facts);
  });

  it("takes the kind from the code, and from the status that a repeat may help", () => {
    expect(factsOfAnswer("AccessDenied", 503)).toMatchObject({
      kind: "denied",
      retry: "idempotent",
    });
    expect(factsOfAnswer("SlowDown", 400)).toMatchObject({ retry: "unprocessed", throttled: true });
    expect(factsOfAnswer("InternalError", 200)).toMatchObject({ retry: "idempotent" });
    expect(factsOfAnswer("InternalError", 503)).toMatchObject({ throttled: true });
    expect(factsOfAnswer("InternalError", 500)).toMatchObject({ throttled: false });
  });
});
