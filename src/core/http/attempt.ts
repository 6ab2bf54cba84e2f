/** One try of a request: addressed, signed, sent, and its answer understood. */
import type {
  HttpHandler,
  HttpRequest,
  HttpResponse,
  RequestBody,
} from "../../protocol/message.js";
import { factsOf } from "../failures/codes.js";
import {
  ERROR_BODY_LIMIT,
  abortError,
  connectionError,
  parseServiceError,
  readStart,
  toAppError,
} from "../failures/map.js";
import type { AppError } from "../failures/errors.js";
import { inMemory, mapErrors, watch } from "./body.js";
import type { Credentials, RetryNotice } from "./client.js";
import type { Knowledge, Destination, Refusal } from "./corrections.js";
import { type Failure, judgeError } from "./retry.js";
import type { Accept } from "./client.js";
import type { Tries } from "./tries.js";
import { EMPTY_SHA256 } from "./sign/payload.js";

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
  /** Shared with what else belongs to the same work. Default: tries of its own. */
  readonly tries?: Tries | undefined;
  readonly accept?: Accept | undefined;
}

/** With `refresh`, credentials are fetched anew even if the ones at hand seem to be valid. */
export type CredentialSource = (options?: {
  refresh?: boolean;
}) => Promise<Credentials | undefined>;

export type Compose = (
  draft: Draft,
  place: Destination,
  credentials: Credentials | undefined,
  date: Date,
  body: RequestBody | undefined,
  more: Readonly<Record<string, string>> | undefined,
) => HttpRequest | Promise<HttpRequest>;

export interface AttemptOptions {
  readonly handler: HttpHandler;
  readonly knowledge: Knowledge;
  readonly credentials: CredentialSource;
  /** Addresses and signs a draft for a place, with this body and these headers besides its own. */
  readonly compose: Compose;
}

/** How one try ended. */
export type Outcome = { readonly type: "success"; readonly answer: HttpResponse } | Ended;

/** How one try ended that was no success. */
export type Ended =
  | { readonly type: "refused"; readonly answer: HttpResponse; readonly refusal: Refusal }
  | {
      readonly type: "broken";
      readonly error: AppError;
      readonly failure: Failure;
      /** Where the connection went; undefined when it was the answer that was not accepted. */
      readonly origin?: string;
    }
  /** The source of the body failed, not the service. */
  | { readonly type: "unreadable"; readonly error: unknown; readonly wasRead: boolean };

export interface Try {
  /** Bytes that have left. */
  sent: number;
  /** Whether credentials are fetched anew. */
  readonly refresh: boolean;
  /** Whether the body waits for the server's word. */
  readonly expects: boolean;
}

const EXPECT = { expect: "100-continue" };

/** Throws only for an abort, and for what fails before anything is sent. */
export async function tryOnce(
  draft: Draft,
  current: Try,
  options: AttemptOptions,
): Promise<Outcome> {
  const { handler, knowledge, credentials, compose } = options;
  const { signal, onSent } = draft;
  const place = knowledge.placeOf(draft.bucket);
  const source = watch(draft.body);
  let request: HttpRequest | undefined;
  try {
    signal?.throwIfAborted();
    const identity = await credentials(current.refresh ? { refresh: true } : undefined);
    const more = current.expects ? EXPECT : undefined;
    const date = knowledge.now();
    const composed = compose(draft, place, identity, date, source.body, more);
    request = composed instanceof Promise ? await composed : composed;
    const answer = await handler(request, {
      signal,
      onSent: (count) => {
        current.sent += count;
        onSent?.(count);
      },
    });
    if (answer.status >= 300) return await refused(draft, answer, place, request, date);
    if (answer.bytes !== undefined) return { type: "success", answer };
    const { origin } = request;
    const body = mapErrors(answer.body, (error) =>
      signal?.aborted === true ? abortError(signal) : connectionError(error, origin),
    );
    return { type: "success", answer: { ...answer, body } };
  } catch (error) {
    if (signal?.aborted === true) throw abortError(signal);
    if (source.failed()) return { type: "unreadable", error, wasRead: source.wasRead() };
    if (request === undefined) throw toAppError(error);
    const mapped = connectionError(error, request.origin);
    return { type: "broken", error: mapped, failure: judgeError(error), origin: request.origin };
  }
}

/** An answer to HEAD has no reason in it, and an upload that is cut off has no answer. */
export function isMute(draft: Draft, outcome: Outcome, { sent }: Try): boolean {
  if (outcome.type === "broken") return sent > 0;
  if (outcome.type !== "refused" || draft.method !== "HEAD") return false;
  const { status, error } = outcome.refusal;
  return (status === 400 || status === 403) && error === undefined;
}

/**
 * Asks the same bucket for an empty listing, to hear in words why it refuses everything, if it
 * does.
 */
export async function explain(draft: Draft, options: AttemptOptions): Promise<Ended | undefined> {
  if (draft.bucket === undefined) return undefined;
  const question: Draft = {
    method: "GET",
    bucket: draft.bucket,
    tail: "",
    query: "list-type=2&max-keys=0",
    headers: {},
    payloadHash: EMPTY_SHA256,
    idempotent: true,
    retryAnswers: false,
    signal: draft.signal,
  };
  const outcome = await tryOnce(question, { sent: 0, refresh: false, expects: false }, options);
  if (outcome.type === "success") await readStart(outcome.answer.body, ERROR_BODY_LIMIT);
  // An error that would end any run is about every request of this client to the bucket.
  const isGeneral =
    outcome.type === "refused" && factsOf(outcome.refusal.error?.code ?? "")?.endsRun === true;
  return isGeneral ? outcome : undefined;
}

/** Reads a refusal, which is short, so that it can be understood and still be handed on. */
async function refused(
  { method, bucket }: Draft,
  answer: HttpResponse,
  place: Destination,
  request: HttpRequest,
  date: Date,
): Promise<Outcome> {
  const { status, headers } = answer;
  const bytes = await readStart(answer.body, ERROR_BODY_LIMIT);
  const error = parseServiceError(bytes.toString("utf8"));
  const url = new URL(`${request.origin}${request.path}`);
  return {
    type: "refused",
    answer: { status, headers, body: inMemory(bytes) },
    refusal: { method, bucket, status, headers, error, place, url, date },
  };
}
