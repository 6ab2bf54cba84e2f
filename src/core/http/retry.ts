/** When a request is tried again, and how long that waits. */
import { setTimeout as wait } from "node:timers/promises";

import { type Retry, codeOfStatus, factsOf, factsOfAnswer } from "../failures/codes.js";
import { abortError } from "../failures/map.js";
import { codedCause } from "../failures/system.js";

const MAX_DELAY = 20_000;
const MAX_RETRY_AFTER = 60_000;

export interface Failure {
  /** S3's or Node's word. */
  readonly code: string;
  readonly retry: Retry;
  readonly throttled: boolean;
  /** Milliseconds the service asks to wait. */
  readonly retryAfter?: number | undefined;
}

/** The facts that are told before a request is tried again. */
export interface RetryNotice {
  /** 1 for the first repeat. */
  readonly attempt: number;
  readonly delayMs: number;
  /** S3's or Node's word for what went wrong. */
  readonly code: string;
  /** The service asked for less. */
  readonly throttled: boolean;
}

/** Judges an answer by its status and the service's code. */
export function judgeAnswer(
  status: number,
  code: string | undefined,
  retryAfter: string | undefined,
  now: number,
): Failure {
  const known = code ?? codeOfStatus(status);
  const { retry, throttled } = factsOfAnswer(known, status);
  return { code: known, retry, throttled, retryAfter: parseRetryAfter(retryAfter, now) };
}

/** Judges what was thrown: by the handler, or while an answer was read. */
export function judgeError(error: unknown): Failure {
  const code = codedCause(error)?.code ?? "Error";
  const { retry, throttled } = factsOf(code) ?? { retry: "never", throttled: false };
  const isConnecting = (error as NodeJS.ErrnoException | undefined)?.syscall === "connect";
  // A connection that was never made carried nothing.
  return { code, throttled, retry: retry !== "never" && isConnecting ? "unprocessed" : retry };
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
