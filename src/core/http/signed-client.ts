/** The signed-request layer put together: see client.ts for what it promises. */
import { vendorHeader } from "../../protocol/dialect.js";
import type { HttpHandler } from "../../protocol/message.js";
import { setCommand } from "../config/set-command.js";
import type { Learnt, ResolvedAlias } from "../config/types.js";
import { abortError, errorFromResponse, toAppError } from "../failures/map.js";
import { AppError, usageError } from "../failures/errors.js";
import { type Address, addressOf } from "./address.js";
import type { Accept, RequestSpec, SignedClient } from "./client.js";
import { type Destination, createKnowledge } from "./corrections.js";
import type { Compose, CredentialSource, Draft } from "./attempt.js";
import { createExchange } from "./exchange.js";
import { headerValue } from "./header-value.js";
import type { ProxyEnvironment } from "./proxy.js";
import { canonicalQuery, encodeKey } from "./sign/canonical.js";
import { createFastSigner } from "./sign/fast.js";
import { payloadHash } from "./sign/payload.js";
import { MAX_PRESIGN_SECONDS, type RequestSigner } from "./sign/types.js";
import { timeoutsFrom } from "./timeouts.js";
import { createTransport } from "./transport.js";
import { Tries, settle } from "./tries.js";

export interface SignedClientOptions {
  readonly alias: ResolvedAlias;
  /** Undefined credentials make anonymous requests. */
  readonly credentials: CredentialSource;
  /** Proxies, more certificate authorities, AWS_MAX_ATTEMPTS, PAIL_TIMEOUT, PAIL_REQUEST_PAYER. */
  readonly env: ProxyEnvironment;
  /** Sends the requests instead of sockets. */
  readonly handler?: HttpHandler | undefined;
  /** Put around whatever sends the requests. */
  readonly wrap?: ((handler: HttpHandler) => HttpHandler) | undefined;
  /** Keeps what was found out about the endpoint with the alias. Default: for the client's life only. */
  readonly onLearnt?: ((learnt: Learnt) => Promise<void>) | undefined;
  /** Tries in all. Default AWS_MAX_ATTEMPTS, or 5. */
  readonly maxAttempts?: number | undefined;
  /** Connections at most. Default 256. */
  readonly concurrency?: number | undefined;
  /** A number in [0, 1); it spreads repeats over time. Default Math.random. */
  readonly random?: (() => number) | undefined;
}

/** Makes a client for one alias; nothing is opened before the first request. */
export function createSignedClient(options: SignedClientOptions): SignedClient {
  const { alias, credentials, env } = options;
  const { dialect, region } = alias;
  // A request that never leaves the process needs no hash against the wire.
  const secure = alias.url.protocol === "https:" || options.handler !== undefined;
  const transport =
    options.handler === undefined
      ? createTransport({
          caFile: alias.caFile,
          insecure: alias.insecure,
          concurrency: options.concurrency,
          ...timeoutsFrom(env),
          env,
        })
      : { handler: options.handler, close: () => undefined, speaksTls: async () => false };
  const maxAttempts = options.maxAttempts ?? attemptsFrom(env);
  const random = options.random ?? Math.random;
  const knowledge = createKnowledge(alias.url, region, dialect);
  const fastSigner = createFastSigner();
  const locate = createLocator(alias);

  // A bucket whose reader pays wants to be told so in every request.
  const payer = env["PAIL_REQUEST_PAYER"]
    ? { [vendorHeader(dialect, "request-payer")]: "requester" }
    : undefined;
  const composer =
    (signer: RequestSigner): Compose =>
    (draft, place, identity, date, body, more) => {
      const { method, query } = draft;
      const { origin, base, host } = locate(place, draft.bucket);
      const path = base + draft.tail || "/";
      const headers = { host, ...payer, ...draft.headers, ...more };
      if (identity === undefined) return { method, origin, path, query, headers, body };
      const signed = signer(
        { method, path, query, headers, payloadHash: draft.payloadHash },
        { dialect, region: place.region, credentials: identity, date },
      );
      return signed instanceof Promise
        ? signed.then((late) => ({ method, origin, path, query, headers: late, body }))
        : { method, origin, path, query, headers: signed, body };
    };
  const exchangeWith = (signer: RequestSigner) =>
    createExchange({
      handler: options.wrap?.(transport.handler) ?? transport.handler,
      knowledge,
      credentials,
      compose: composer(signer),
      maxAttempts,
      random,
      speaksTls: transport.speaksTls,
    });

  const subject: SignedClient["subject"] = ({ method, bucket, key }) => ({
    method,
    bucket,
    key,
    endpoint: alias.url.origin,
    alias: alias.name,
    setCommand: setCommand(alias),
  });

  const compose = composer(fastSigner);
  const exchange = exchangeWith(fastSigner);
  const draft = (spec: RequestSpec, retryAnswers = true, accept?: Accept) =>
    draftOf(spec, { retryAnswers, secure, accept });
  let sdk: ReturnType<SignedClient["sdk"]> | undefined;
  let uploadChecksum = alias.checksum;
  let checksumMode = alias.checksumMode;

  return {
    endpoint: alias.url,
    region,
    dialect,
    secure,
    uploadChecksum: {
      known: () => uploadChecksum,
      remember: async (checksum) => {
        // Uploads that are refused at the same time find out the same thing.
        if (checksum === uploadChecksum) return;
        uploadChecksum = checksum;
        await options.onLearnt?.({ checksum });
      },
    },
    checksumMode: {
      known: () => checksumMode,
      remember: async (mode) => {
        if (mode === checksumMode) return;
        checksumMode = mode;
        await options.onLearnt?.({ checksumMode: mode });
      },
    },
    request: async (spec, accept) => {
      const drafted = draft(spec, true, accept);
      const answer = await exchange(drafted instanceof Promise ? await drafted : drafted);
      if (answer.status < 300 || answer.status === 304) return answer;
      throw settle(await errorFromResponse(answer, subject(spec)));
    },
    subject,
    now: () => knowledge.now(),
    tries: ({ idempotent, method, signal, onRetry }) =>
      new Tries({
        max: maxAttempts,
        random,
        signal,
        onRetry,
        idempotent: idempotent ?? method !== "POST",
      }),
    rawRequest: async (spec) => exchange(await draft(spec, false)),
    signedRequest: async (spec) =>
      compose(
        await draft(spec),
        knowledge.placeOf(spec.bucket),
        await credentials(),
        knowledge.now(),
        spec.body,
        undefined,
      ),
    presign: async (spec, expiresIn) => {
      checkPresign(alias, spec, expiresIn);
      const identity = await credentials();
      if (identity === undefined) throw anonymousPresign(alias);
      const { signQuery } = await import("./sign/library.js");
      const place = knowledge.placeOf(spec.bucket);
      const { method, tail, query, headers: given } = await draft({ ...spec, body: undefined });
      const { origin, base, host } = locate(place, spec.bucket);
      const path = base + tail || "/";
      // Another client will use the URL: headers that it sends in its own way are not signed.
      const { "user-agent": _agent, "content-length": _length, ...headers } = given;
      const signed = await signQuery(
        { method, path, query, headers: { host, ...headers } },
        { dialect, region: place.region, credentials: identity, date: knowledge.now() },
        expiresIn,
      );
      return new URL(`${origin}${path}?${signed}`);
    },
    presignPost: async (bucket, key, expiresIn) => {
      checkPresign(alias, { method: "POST", bucket, key }, expiresIn);
      const identity = await credentials();
      if (identity === undefined) throw anonymousPresign(alias);
      const { postFields } = await import("./sign/post.js");
      const place = knowledge.placeOf(bucket);
      const date = knowledge.now();
      const { origin, base } = locate(place, bucket);
      const context = { dialect, region: place.region, credentials: identity, date };
      return { url: `${origin}${base}/`, fields: postFields(bucket, key, expiresIn, context) };
    },
    sdk: () =>
      (sdk ??= import("./sdk.js").then(async ({ createSdkClient }) => {
        const { signHeaders } = await import("./sign/library.js");
        return createSdkClient({ dialect, region, exchange: exchangeWith(signHeaders), secure });
      })),
    close: () => transport.close(),
  };
}

/** Where requests to a bucket go; one request mostly goes where the one before it went. */
function createLocator({ pathStyle }: ResolvedAlias) {
  let last: { place: Destination; bucket: string | undefined; address: Address } | undefined;
  return (place: Destination, bucket: string | undefined): Address => {
    if (last?.place === place && last.bucket === bucket) return last.address;
    const computed = addressOf(place.endpoint, pathStyle, bucket);
    const { host } = place;
    const address =
      host === undefined
        ? computed
        : { ...computed, origin: `${place.endpoint.protocol}//${host}`, host };
    last = { place, bucket, address };
    return address;
  };
}

/** The draft of a request; late only when a stream has to be read for its hash. */
function draftOf(
  spec: RequestSpec,
  how: Pick<Draft, "accept" | "retryAnswers"> & { readonly secure: boolean },
): Draft | Promise<Draft> {
  const { method, bucket, key, body } = spec;
  const headers: Record<string, string> = { "user-agent": "pail" };
  for (const name in spec.headers) {
    const value = spec.headers[name];
    if (value !== undefined) headers[name] = headerValue(`the header ${name}`, value);
  }
  // Without a length a server waits for chunks; only methods that take a body say zero.
  const length =
    body?.length ?? (body === undefined && /^P(?:UT|OST)$/.test(method) ? 0 : undefined);
  if (length !== undefined) headers["content-length"] = String(length);
  else if (body !== undefined) headers["transfer-encoding"] = "chunked";
  const { signal } = spec;
  const hash = spec.payloadHash ?? payloadHash(body, spec.payload, how.secure, signal);
  const draft = (payloadHash: string): Draft => ({
    method,
    bucket,
    tail: key === undefined ? "" : `/${encodeExact(key)}`,
    query: spec.query === undefined ? "" : canonicalQuery(spec.query),
    headers,
    body,
    payloadHash,
    idempotent: spec.idempotent ?? method !== "POST",
    retryAnswers: how.retryAnswers,
    signal,
    onSent: spec.onSent,
    onRetry: spec.onRetry,
    tries: spec.tries,
    accept: how.accept,
  });
  if (!(hash instanceof Promise)) return draft(hash);
  return hash.then(draft, (error: unknown) => {
    throw signal?.aborted === true ? abortError(signal) : toAppError(error);
  });
}

function encodeExact(key: string): string {
  try {
    return encodeKey(key);
  } catch (error) {
    const message = "the key is not valid Unicode, and S3's keys are UTF-8";
    throw new AppError({ kind: "usage", code: "InvalidKey", message, cause: error });
  }
}

function attemptsFrom(env: ProxyEnvironment): number {
  const wanted = Number(env["AWS_MAX_ATTEMPTS"]);
  return Number.isInteger(wanted) && wanted >= 1 ? wanted : 5;
}

function checkPresign(alias: ResolvedAlias, { bucket, key }: RequestSpec, expiresIn: number): void {
  const place = [alias.name, bucket, key].filter((part) => part !== undefined).join("/");
  const refuse = (code: string, message: string) => usageError(code, `${place}: ${message}`);
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > MAX_PRESIGN_SECONDS) {
    throw refuse("InvalidExpiry", "a URL lives 1 second to 7 days");
  }
  if (key !== undefined && /(?:^|\/)\.{1,2}(?:\/|$)/.test(key)) {
    const message = "has a segment . or .., which whoever opens the URL would resolve";
    throw refuse("InvalidKey", message);
  }
}

function anonymousPresign(alias: ResolvedAlias): AppError {
  const message = `${alias.name} is used without credentials, and a presigned URL needs them`;
  return usageError("NoCredentials", message);
}
