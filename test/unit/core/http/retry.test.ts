import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  type Failure,
  delayBefore,
  judgeAnswer,
  judgeError,
} from "../../../../src/core/http/retry.js";

const coded = (code: string, more = {}) => Object.assign(new Error("x"), { code, ...more });

describe("whether a failure may be repeated", () => {
  it.each([
    [500, undefined, "idempotent"],
    [503, "ServiceUnavailable", "idempotent"],
    [503, "SlowDown", "unprocessed"],
    [429, undefined, "unprocessed"],
    [400, "RequestTimeout", "idempotent"],
    [400, "InvalidArgument", "never"],
    [403, "AccessDenied", "never"],
    [404, "NoSuchKey", "never"],
    [501, "NotImplemented", "never"],
    [200, "InternalError", "idempotent"],
  ] as const)("an answer of %d %s: %s", (status, code, retry) => {
    expect(judgeAnswer(status, code, undefined, 0).retry).toBe(retry);
  });

  it.each([
    [coded("ECONNREFUSED"), "unprocessed"],
    [coded("EAI_AGAIN"), "unprocessed"],
    [coded("ETIMEDOUT", { syscall: "connect" }), "unprocessed"],
    [coded("ETIMEDOUT"), "idempotent"],
    [coded("ECONNRESET"), "idempotent"],
    [new AggregateError([coded("ECONNREFUSED")]), "unprocessed"],
    [coded("ENOTFOUND"), "never"],
    [coded("CERT_HAS_EXPIRED"), "never"],
    [coded("HPE_INVALID_CONSTANT"), "never"],
    [new Error("a bug"), "never"],
  ])("a connection's %s: %s", (error, retry) => {
    expect(judgeError(error).retry).toBe(retry);
  });
});

describe("the wait before a repeat", () => {
  const failure = (more: Partial<Failure> = {}): Failure => ({
    code: "x",
    retry: "idempotent",
    throttled: false,
    ...more,
  });

  it("stays below a ceiling that doubles up to twenty seconds, higher after SlowDown", () => {
    const ceiling = (repeat: number, throttled: boolean) =>
      delayBefore(repeat, failure({ throttled }), () => 1);
    expect([1, 2, 3, 4].map((repeat) => ceiling(repeat, false))).toEqual([100, 200, 400, 800]);
    expect([1, 2, 3].map((repeat) => ceiling(repeat, true))).toEqual([500, 1000, 2000]);
    expect(ceiling(30, false)).toBe(20_000);
  });

  it("is anywhere between nothing and the ceiling", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (random) => {
        expect(delayBefore(2, failure(), () => random)).toBe(Math.round(random * 200));
      }),
    );
  });

  it("is no shorter than the service asks, in seconds or as a date, within a minute", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    const asked = (header: string) => judgeAnswer(503, undefined, header, now).retryAfter;
    expect(asked("3")).toBe(3000);
    expect(asked("Thu, 01 Jan 2026 00:00:10 GMT")).toBe(10_000);
    expect(asked("3600")).toBe(60_000);
    expect(asked("Thu, 01 Jan 2025 00:00:10 GMT")).toBe(0);
    expect(asked("soon")).toBeUndefined();
    expect(delayBefore(1, failure({ retryAfter: 3000 }), () => 0)).toBe(3000);
  });
});
