/**
 * One request from start to end: addressed, signed, sent; corrected and repeated where that is
 * safe. Both the raw requests and the SDK's go through here.
 */
import type {
  HttpHandler,
  HttpRequest,
  HttpResponse,
  RequestBody,
} from "../../protocol/message.js";
import {
  ERROR_BODY_LIMIT,
  connectionError,
  parseServiceError,
  readStart,
  toAppError,
} from "../error-map.js";
import type { AppError } from "../errors.js";
import { inMemory, mapErrors, watch } from "./body.js";
import type { Credentials, RetryNotice } from "./client.js";
import type { Knowledge, Place, Refusal } from "./corrections.js";
import { type Failure, delayBefore, judgeAnswer, judgeError, pause } from "./retry.js";

/** A request before it has an address and a signature. */
export interface Draft {
  readonly method: string;
  readonly bucket: string | undefined;
  /** Encoded path behind the bucket. */
  readonly tail: string;
  /** Canonical. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody | undefined;
  readonly payloadHash: string;
  /** Whether a repeat is harmless. */
  readonly idempotent: boolean;
  /** Whether answers that ask for it are retried; connections always are. */
  readonly retryAnswers: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onSent?: ((count: number) => void) | undefined;
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
}

/** With `refresh`, credentials are fetched anew even if the ones at hand seem to be valid. */
export type CredentialSource = (options?: {
  refresh?: boolean;
}) => Promise<Credentials | undefined>;

export interface ExchangeOptions {
  readonly handler: HttpHandler;
  readonly knowledge: Knowledge;
  readonly credentials: CredentialSource;
  /** Addresses and signs a draft for a place. */
  readonly compose: (
    draft: Draft,
    place: Place,
    credentials: Credentials | undefined,
  ) => Promise<HttpRequest>;
  /** Tries in all. */
  readonly maxAttempts: number;
  /** In [0, 1), for the jitter. */
  readonly random: () => number;
}

/** How one try ended. */
type Outcome =
  | { readonly type: "success"; readonly answer: HttpResponse }
  | { readonly type: "refused"; readonly answer: HttpResponse; readonly refusal: Refusal }
  | { readonly type: "broken"; readonly error: AppError; readonly failure: Failure }
  /** The source of the body failed, not the service. */
  | { readonly type: "unreadable"; readonly error: unknown; readonly wasRead: boolean };

interface Try {
  /** Bytes that have left. */
  sent: number;
  readonly refresh: boolean;
  readonly expects: boolean;
}

/** Below this size a body is on its way before a refusal could spare it. */
const EXPECT_FROM = 1024 * 1024;

/**
 * Makes the function that carries drafts out. It resolves with the last answer, whatever its
 * status, and throws the AppError of a connection that failed, of a body that could not be read,
 * or of an abort.
 */
export function createExchange(options: ExchangeOptions): (draft: Draft) => Promise<HttpResponse> {
  const { knowledge, maxAttempts } = options;
  /** Buckets that have taken a large body: credentials, region and permission are right. */
  const proven = new Set<string | undefined>();
  let knowsExpect = true;

  /** What a refusal teaches; also that a server knows no Expect, or that credentials ended early. */
  const learn = (refusal: Refusal): string | undefined => {
    if (refusal.status === 417) {
      knowsExpect = false;
      return "expect";
    }
    const isExpired = /^(?:ExpiredToken|TokenRefreshRequired)/.test(refusal.error?.code ?? "");
    return isExpired ? "credentials" : knowledge.learn(refusal);
  };

  return async (draft) => {
    const isLarge = (draft.body?.length ?? 0) >= EXPECT_FROM;
    const learnt = new Set<string>();
    let refresh = false;
    let wasReset = false;
    let last: Outcome | undefined;

    for (let attempt = 1; ;) {
      const expects = isLarge && knowsExpect && (wasReset || !proven.has(draft.bucket));
      const current: Try = { sent: 0, refresh, expects };
      const outcome = await tryOnce(draft, current, options);
      if (outcome.type === "success") {
        if (isLarge) proven.add(draft.bucket);
        return outcome.answer;
      }
      if (outcome.type === "unreadable") {
        // A body that can be read once: what the try before failed of is the reason.
        if (last !== undefined && !outcome.wasRead) return conclude(last);
        throw toAppError(outcome.error);
      }

      last = outcome;
      refresh = false;
      const lesson = outcome.type === "refused" ? learn(outcome.refusal) : undefined;
      if (lesson !== undefined && !learnt.has(lesson)) {
        learnt.add(lesson);
        refresh = lesson === "credentials";
      } else {
        const failure = outcome.type === "broken" ? outcome.failure : judge(outcome);
        if (attempt >= maxAttempts || !isRepeatable(draft, outcome, failure)) {
          return conclude(outcome);
        }
        wasReset = outcome.type === "broken" && current.sent > 0;
        const delayMs = delayBefore(attempt, failure, options.random);
        draft.onRetry?.({ attempt, delayMs, code: failure.code });
        await pause(delayMs, draft.signal).catch(rethrow);
        attempt += 1;
      }
      if (current.sent > 0) draft.onSent?.(-current.sent);
    }
  };
}

function judge({ answer, refusal }: Outcome & { type: "refused" }): Failure {
  return judgeAnswer(answer.status, refusal.error?.code, answer.headers["retry-after"], Date.now());
}

function isRepeatable(draft: Draft, outcome: Outcome, failure: Failure): boolean {
  if (outcome.type === "refused" && !draft.retryAnswers) return false;
  return failure.retry === "unprocessed" || (failure.retry === "idempotent" && draft.idempotent);
}

function conclude(outcome: Outcome): HttpResponse {
  if (outcome.type === "broken") throw outcome.error;
  if (outcome.type === "unreadable") throw toAppError(outcome.error);
  return outcome.answer;
}

function rethrow(reason: unknown): never {
  throw toAppError(reason);
}

async function tryOnce(draft: Draft, current: Try, options: ExchangeOptions): Promise<Outcome> {
  const { handler, knowledge, credentials, compose } = options;
  const { signal, onSent } = draft;
  const place = knowledge.placeOf(draft.bucket);
  const source = watch(draft.body);
  const headers = current.expects ? { ...draft.headers, expect: "100-continue" } : draft.headers;
  let request: HttpRequest | undefined;
  try {
    signal?.throwIfAborted();
    const identity = await credentials(current.refresh ? { refresh: true } : undefined);
    request = await compose({ ...draft, headers, body: source.body }, place, identity);
    const answer = await handler(request, {
      signal,
      onSent: (count) => {
        current.sent += count;
        onSent?.(count);
      },
    });
    if (answer.status >= 300) return await refused(draft, answer, place, request);
    const { origin } = request;
    const body = mapErrors(answer.body, (error) =>
      signal?.aborted === true ? toAppError(signal.reason) : connectionError(error, origin),
    );
    return { type: "success", answer: { ...answer, body } };
  } catch (error) {
    if (signal?.aborted === true) throw toAppError(signal.reason);
    if (source.failed()) return { type: "unreadable", error, wasRead: source.wasRead() };
    if (request === undefined) throw toAppError(error);
    const mapped = connectionError(error, request.origin);
    return { type: "broken", error: mapped, failure: judgeError(error) };
  }
}

/** Reads a refusal, which is short, so that it can be understood and still be handed on. */
async function refused(
  { method, bucket }: Draft,
  answer: HttpResponse,
  place: Place,
  request: HttpRequest,
): Promise<Outcome> {
  const { status, headers } = answer;
  const bytes = await readStart(answer.body, ERROR_BODY_LIMIT);
  const error = parseServiceError(bytes.toString("utf8"));
  const url = new URL(`${request.origin}${request.path}`);
  return {
    type: "refused",
    answer: { status, headers, body: inMemory(bytes) },
    refusal: { method, bucket, status, headers, error, place, url },
  };
}
