/** When a request is tried again, and how long that waits. */
import { setTimeout as wait } from "node:timers/promises";

import { abortError } from "../failures/map.js";
import { codedCause } from "../failures/system.js";

const MAX_DELAY = 20_000;
const MAX_RETRY_AFTER = 60_000;

/** The service asks for less: nothing was done, and pressing on makes it worse. */
const THROTTLED = new Set([
  "BandwidthLimitExceeded",
  "RequestLimitExceeded",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "ThrottledException",
  "TooManyRequests",
]);
const TRANSIENT_CODES = new Set(["InternalError", "RequestTimeout", "ServiceUnavailable"]);
const TRANSIENT_STATUSES = new Set([429, 500, 502, 503, 504]);

/** The connection was never made: the service has seen nothing of the request. */
const UNSENT = new Set([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
]);
const BROKEN = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT"]);

export interface Failure {
  /** S3's or Node's word. */
  readonly code: string;
  /** `unprocessed`: surely nothing was done, so that any request may be repeated. */
  readonly retry: "never" | "idempotent" | "unprocessed";
  readonly throttled: boolean;
  /** Milliseconds the service asks to wait. */
  readonly retryAfter?: number | undefined;
}

/** Judges an answer by its status and the service's code. */
export function judgeAnswer(
  status: number,
  code: string | undefined,
  retryAfter: string | undefined,
  now: number,
): Failure {
  const throttled = status === 429 || (code !== undefined && THROTTLED.has(code));
  const transient =
    TRANSIENT_STATUSES.has(status) || (code !== undefined && TRANSIENT_CODES.has(code));
  return {
    code: code ?? `Http${status}`,
    retry: throttled ? "unprocessed" : transient ? "idempotent" : "never",
    throttled: throttled || status === 503,
    retryAfter: parseRetryAfter(retryAfter, now),
  };
}

/** Judges what the handler threw. */
export function judgeError(error: unknown): Failure {
  const found = codedCause(error);
  const code = found?.code ?? "Error";
  const isConnecting = (error as NodeJS.ErrnoException | undefined)?.syscall === "connect";
  const retry =
    UNSENT.has(code) || (isConnecting && BROKEN.has(code))
      ? "unprocessed"
      : BROKEN.has(code)
        ? "idempotent"
        : "never";
  return { code, retry, throttled: false };
}

/** Retry-After is seconds or a date (RFC 9110, 10.2.3). */
function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const wanted = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(wanted) ? undefined : Math.min(Math.max(wanted, 0), MAX_RETRY_AFTER);
}

/**
 * Milliseconds before the nth repeat: full jitter under an exponential ceiling
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), but no less than
 * the service asks for.
 */
export function delayBefore(repeat: number, failure: Failure, random: () => number): number {
  const base = failure.throttled ? 500 : 100;
  const jittered = random() * Math.min(MAX_DELAY, base * 2 ** (repeat - 1));
  return Math.round(Math.max(jittered, failure.retryAfter ?? 0));
}

/** Waits. Throws the AppError of the abort at once when aborted. */
export async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(delayMs, undefined, signal ? { signal } : {});
  } catch (error) {
    throw signal === undefined ? error : abortError(signal);
  }
}
