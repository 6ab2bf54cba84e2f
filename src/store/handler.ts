/** Request in, response out: verify, route, run, and put every failure in S3's words. */
import { randomBytes, randomUUID } from "node:crypto";

import { type Dialect, vendorHeader } from "../protocol/dialect.js";
import type { HttpHandler, HttpRequest, HttpResponse } from "../protocol/message.js";
import { bodyLength } from "../protocol/message.js";
import { writeXml } from "../protocol/xml.js";
import type { Backend } from "./backend.js";
import { StoreError, StoreFailure } from "./errors.js";
import { authorize } from "./access/authorize.js";
import { corsHeaders, preflight } from "./operations/cors.js";
import { isBucketName } from "./operations/bucket-name.js";
import { isForm, postObject } from "./operations/post.js";
import { refuse } from "./refuse.js";
import { parseRequest, type StoreRequest } from "./request.js";
import { respond } from "./response.js";
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
}

const EMPTY_SHA256 = sha256("");

/**
 * Makes the handler. It rejects only when the request's own body fails or the caller aborts; all
 * else is an answer.
 */
export function createHandler(parts: HandlerParts): HttpHandler {
  return async (incoming, options = {}) => {
    options.signal?.throwIfAborted();
    const { request, failure } = watchRequest(incoming, options);
    // Not randomBytes: this draws from a pool.
    const requestId = randomUUID().replaceAll("-", "").slice(16).toUpperCase();
    let response: HttpResponse;
    try {
      response = await answer(parts, request);
    } catch (error) {
      const own = failure();
      if (own !== undefined) throw own.error;
      response = errorResponse(parts, request, requestId, error, options.peer !== undefined);
    }
    const body = request.method === "HEAD" ? nothing() : response.body;
    return {
      status: response.status,
      headers: {
        date: new Date(parts.now()).toUTCString(),
        server: "pail",
        [vendorHeader(parts.dialect, "request-id")]: requestId,
        [vendorHeader(parts.dialect, "id-2")]: HOST_ID,
        ...response.headers,
      },
      body: watchResponse(body, options.signal, parts.onError),
    };
  };
}

const HOST_ID = randomBytes(24).toString("base64");

async function answer(parts: HandlerParts, raw: HttpRequest): Promise<HttpResponse> {
  const request = parseRequest(raw, parts.dialect, parts.domains);
  const cors = corsHeaders(parts.backend, request);
  // It is waited for only after the request has run.
  cors.catch(() => undefined);
  try {
    const response = await run(parts, request);
    return { ...response, headers: { ...response.headers, ...(await cors) } };
  } catch (error) {
    // A page is to see why it was refused as well.
    if (error instanceof StoreError) Object.assign(error.headers, await cors);
    throw error;
  }
}

async function run(parts: HandlerParts, request: StoreRequest): Promise<HttpResponse> {
  const { backend, publicBuckets, region } = parts;
  const { raw } = request;
  if (raw.method === "OPTIONS") return preflight(backend, request);
  if (isForm(request)) return postObject(parts, request);
  const auth = await parts.verify(raw, request.hostBucket);
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
  error: unknown,
  remote: boolean,
): HttpResponse {
  const told = error instanceof StoreError && !(remote && error instanceof StoreFailure);
  const refusal = told ? error : refuse("InternalError");
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

async function* nothing(): AsyncGenerator<Uint8Array> {}
