/**
 * The SDK's client on top of the signed-request layer. It shapes requests and reads answers; the
 * addressing, signing, sending and retrying are the layer's own, so that both kinds of request
 * behave alike. The client is therefore told path style and a host that is never contacted.
 */
import { Readable } from "node:stream";

import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";

import { AWS_DIALECT, type Dialect, vendorHeader } from "../../protocol/dialect.js";
import type { HttpResponse, RequestBody } from "../../protocol/message.js";
import type { Draft } from "./attempt.js";
import { canonicalQuery } from "./sign/canonical.js";
import { payloadHash } from "./sign/payload.js";

export interface SdkOptions {
  readonly dialect: Dialect;
  readonly region: string;
  /** Addresses, signs, sends and retries. */
  readonly exchange: (draft: Draft) => Promise<HttpResponse>;
  /** Whether the channel itself keeps bodies whole. */
  readonly secure: boolean;
}

/** The parts of the SDK's request that are read here. */
interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Added by the SDK for its own telemetry, or made anew by the layer. */
const OWN_HEADERS =
  /^(?:host|user-agent|x-amz-user-agent|amz-sdk-.*|authorization|expect|content-length)$/;

/** Makes the client; its answers and exceptions are the SDK's own. */
export async function createSdkClient(options: SdkOptions): Promise<S3Client> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  const handler = {
    handle: async (request: SdkRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
      const answer = await options.exchange(await toDraft(request, abortSignal, options));
      return {
        response: {
          statusCode: answer.status,
          headers: respell(answer.headers, options.dialect, AWS_DIALECT),
          body: Readable.from(answer.body, { objectMode: false }),
        },
      };
    },
    destroy: () => undefined,
  };
  return new S3Client({
    endpoint: "http://pail.invalid",
    region: options.region,
    forcePathStyle: true,
    // The exchange signs, with the credentials and the place of the moment.
    credentials: { accessKeyId: "unused", secretAccessKey: "unused" },
    signer: { sign: async (request: unknown) => request } as NonNullable<S3ClientConfig["signer"]>,
    requestHandler: handler,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 1,
    followRegionRedirects: false,
    // Nothing of the SDK's own configuration files may speak into this.
    defaultsMode: "standard",
    retryMode: "standard",
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    disableS3ExpressSessionAuth: true,
    userAgentAppId: async () => undefined,
    sigv4aSigningRegionSet: [],
    authSchemePreference: [],
  });
}

async function toDraft(
  { method, path, query, headers, body }: SdkRequest,
  signal: AbortSignal | undefined,
  { dialect, secure }: SdkOptions,
): Promise<Draft> {
  const [, bucket, tail] = /^\/([^/]*)(.*)$/s.exec(path)!;
  const kept = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !OWN_HEADERS.test(name));
  const { bytes, length } = toBody(body, headers["content-length"]);
  if (length !== undefined) kept.push(["content-length", String(length)]);
  else if (method === "PUT" || method === "POST") kept.push(["content-length", "0"]);
  return {
    method,
    bucket: bucket === "" ? undefined : decodeURIComponent(bucket!),
    // The SDK ends a bucket with a slash.
    tail: tail === "/" ? "" : tail!,
    query: canonicalQuery(parameters(query)),
    headers: respell(Object.fromEntries(kept), AWS_DIALECT, dialect),
    body: bytes,
    // A stream can be read once, and that is for sending.
    payloadHash: await payloadHash(bytes, isStream(bytes) ? "unsigned" : undefined, secure),
    // S3 has no POST that adds anything a repeat would add twice, but for a new upload.
    idempotent: method !== "POST",
    retryAnswers: true,
    signal,
  };
}

function parameters(query: SdkRequest["query"]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    result[name] = Array.isArray(value) ? value.join(",") : (value ?? "");
  }
  return result;
}

/** The SDK's bodies are text or bytes; a stream can be read once. */
function toBody(
  body: unknown,
  declared: string | undefined,
): { bytes: RequestBody | undefined; length: number | undefined } {
  if (body === undefined || body === null) return { bytes: undefined, length: undefined };
  if (typeof body === "string") return withLength(Buffer.from(body));
  if (body instanceof Uint8Array) return withLength(body);
  const length = declared === undefined ? undefined : Number(declared);
  let opened = false;
  const open = () => {
    if (opened) throw new Error("the body was read already");
    opened = true;
    return body as AsyncIterable<Uint8Array>;
  };
  return { bytes: { length, open }, length };
}

function isStream(body: RequestBody | undefined): boolean {
  return body !== undefined && !(body instanceof Uint8Array);
}

function withLength(bytes: Uint8Array) {
  return { bytes, length: bytes.length };
}

/** The vendor's spelling of a header the SDK calls `x-amz-…`, and back. */
export function respell(
  headers: Readonly<Record<string, string>>,
  from: Dialect,
  to: Dialect,
): Record<string, string> {
  const prefix = vendorHeader(from, "");
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.startsWith(prefix) ? vendorHeader(to, name.slice(prefix.length)) : name,
      value,
    ]),
  );
}
