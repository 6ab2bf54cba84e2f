/** Request in, response out: verify, route, run, and put every failure in S3's words. */
import { randomBytes, randomUUID } from "node:crypto";

import { type Dialect, vendorHeader } from "../protocol/dialect.js";
import type { HttpHandler, HttpRequest, HttpResponse } from "../protocol/message.js";
import { bodyLength } from "../protocol/message.js";
import { writeXml } from "../protocol/xml.js";
import type { Backend } from "./disk/index.js";
import { StoreError, StoreFailure } from "./errors.js";
import { authorize } from "./access/authorize.js";
import { corsHeaders, preflight } from "./operations/cors.js";
import { isBucketName } from "./operations/bucket-name.js";
import { isForm, postObject } from "./operations/post.js";
import { refuse } from "./refuse.js";
import { parseRequest, type StoreRequest } from "./request.js";
import { inOnePiece, respond } from "./response.js";
import { probe } from "./probe.js";
import { nameOf, route } from "./router.js";
import { refuseUnsupported } from "./unsupported.js";
import type { FormVerifier } from "./verify/form.js";
import { sha256, type Verifier } from "./verify/verify.js";
import { watchRequest, watchResponse } from "./watch.js";

export interface HandlerParts {
  readonly backend: Backend;
  readonly verify: Verifier;
  readonly verifyForm: FormVerifier;
  readonly dialect: Dialect;
  readonly region: string | undefined;
  readonly domains: readonly string[];
  readonly publicBuckets: ReadonlySet<string>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  readonly onAnswer?: ((answered: Answered) => void) | undefined;
}

/** A request whose answer has gone out, or broken off. */
export interface Answered {
  readonly time: Date;
  /** The network address of the client; undefined within the process. */
  readonly peer?: string | undefined;
  /** Undefined when nobody signed, or the signature was refused. */
  readonly accessKeyId?: string | undefined;
  readonly method: string;
  /** Path and query as on the wire, signatures and tokens left out. */
  readonly target: string;
  readonly status: number;
  /** S3's code of a refusal. */
  readonly code?: string | undefined;
  /** Of the answer's body. */
  readonly bytes: number;
  readonly milliseconds: number;
  readonly requestId: string;
}

/** Facts about a request that are known only once it runs. */
interface Trace {
  accessKeyId?: string | undefined;
  code?: string | undefined;
}

const NOTHING = new Uint8Array();
const EMPTY_SHA256 = sha256("");

/**
 * Makes the handler. It rejects only when the request's own body fails or the caller aborts; all
 * else is an answer.
 */
export function createHandler(parts: HandlerParts): HttpHandler {
  return async (incoming, options = {}) => {
    options.signal?.throwIfAborted();
    const { request, failure } = watchRequest(incoming, options);
    const time = new Date(parts.now());
    const started = performance.now();
    const trace: Trace = {};
    // Not randomBytes: this draws from a pool.
    const requestId = randomUUID().replaceAll("-", "").slice(16).toUpperCase();
    let response: HttpResponse;
    try {
      response = await answer(parts, request, trace);
    } catch (error) {
      const own = failure();
      if (own !== undefined) throw own.error;
      const remote = options.peer !== undefined;
      response = errorResponse(parts, request, requestId, { error, remote, trace });
    }
    const { body, bytes } = request.method === "HEAD" ? inOnePiece(NOTHING) : response;
    const { onAnswer } = parts;
    const ended = (bytes: number) =>
      onAnswer?.({
        ...trace,
        time,
        peer: options.peer,
        method: request.method,
        target: targetOf(request),
        status: response.status,
        bytes,
        milliseconds: performance.now() - started,
        requestId,
      });
    return {
      status: response.status,
      headers: {
        date: time.toUTCString(),
        server: "pail",
        [vendorHeader(parts.dialect, "request-id")]: requestId,
        [vendorHeader(parts.dialect, "id-2")]: HOST_ID,
        ...response.headers,
      },
      body: watchResponse(body, options.signal, parts.onError, onAnswer && ended),
      // Not for one who wants to be told when all has been taken.
      bytes: onAnswer === undefined ? bytes : undefined,
    };
  };
}

/** For a log: anybody can use a presigned URL, so the parts that make it valid are left out. */
function targetOf({ path, query }: HttpRequest): string {
  const shown = query.replaceAll(/((?:signature|security-token)=)[^&]*/gi, "$1-");
  return shown === "" ? path : `${path}?${shown}`;
}

const HOST_ID = randomBytes(24).toString("base64");

async function answer(parts: HandlerParts, raw: HttpRequest, trace: Trace): Promise<HttpResponse> {
  const request = parseRequest(raw, parts.dialect, parts.domains);
  const cors = corsHeaders(parts.backend, request);
  // It is waited for only after the request has run.
  cors.catch(() => undefined);
  try {
    const response = await run(parts, request, trace);
    return { ...response, headers: { ...response.headers, ...(await cors) } };
  } catch (error) {
    // A page that is refused is to see the reason as well.
    if (error instanceof StoreError) Object.assign(error.headers, await cors);
    throw error;
  }
}

async function run(
  parts: HandlerParts,
  request: StoreRequest,
  trace: Trace,
): Promise<HttpResponse> {
  const { backend, publicBuckets, region } = parts;
  const { raw } = request;
  const probed = await probe(request, backend, parts.onError);
  if (probed !== undefined) return probed;
  if (raw.method === "OPTIONS") return preflight(backend, request);
  if (isForm(request)) return postObject(parts, request);
  const auth = await parts.verify(raw, request.hostBucket);
  trace.accessKeyId = auth.accessKeyId;
  if (bodyLength(raw.body) === 0 && /^[\da-f]{64}$/.test(auth.payloadHash)) {
    if (auth.payloadHash !== EMPTY_SHA256) throw refuse("XAmzContentSHA256Mismatch");
  }
  if (request.bucket !== undefined && !isBucketName(request.bucket)) {
    throw refuse("InvalidBucketName", undefined, { BucketName: request.bucket });
  }
  const name = nameOf(request);
  const call = { backend, request, auth, region, publicBuckets };
  await authorize(call, name);
  refuseUnsupported(request);
  return route(request, name)(call);
}

function errorResponse(
  parts: HandlerParts,
  request: HttpRequest,
  requestId: string,
  { error, remote, trace }: { error: unknown; remote: boolean; trace: Trace },
): HttpResponse {
  const told = error instanceof StoreError && !(remote && error instanceof StoreFailure);
  const refusal = told ? error : refuse("InternalError");
  trace.code = refusal.code;
  if (refusal.status >= 500 && refusal.code !== "NotImplemented") parts.onError(error);
  const document = writeXml("Error", {
    Code: refusal.code,
    Message: refusal.message,
    ...refusal.details,
    Resource: request.path,
    RequestId: requestId,
    HostId: HOST_ID,
  });
  const headers = { "content-type": "application/xml", ...refusal.headers };
  if (request.method === "HEAD") return respond(refusal.status, refusal.headers);
  return respond(refusal.status, headers, document);
}
