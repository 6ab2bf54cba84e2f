/** Requests signed by hand, such as no correct client would send. */
import { createHash, createHmac } from "node:crypto";

import { signHeaders, signQuery } from "../../src/core/http/sign/library.js";
import { algorithmOf, AWS_DIALECT, type Dialect } from "../../src/protocol/dialect.js";
import { type HttpRequest, type HttpResponse, readAll } from "../../src/protocol/message.js";
import { childText, parseXml } from "../../src/protocol/xml.js";

export interface SignOptions {
  readonly method?: string | undefined;
  /** Path and query, encoded, the query canonical. Default `/`. */
  readonly target?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | string | undefined;
  /** Default: the hash of the body. */
  readonly payloadHash?: string | undefined;
  readonly host?: string | undefined;
  readonly dialect?: Dialect | undefined;
  readonly region?: string | undefined;
  readonly date?: Date | undefined;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
}

/** A request signed in its headers. */
export async function signed(options: SignOptions): Promise<HttpRequest> {
  const body = Buffer.from(options.body ?? "");
  const payloadHash = options.payloadHash ?? createHash("sha256").update(body).digest("hex");
  const { request, context } = prepare(options);
  const headers = await signHeaders({ ...request, payloadHash }, context);
  return toMessage(request, headers, request.query, options.body === undefined ? undefined : body);
}

/** A request signed in its query. `expiresIn` is seconds. */
export async function presigned(
  options: SignOptions,
  expiresIn = 60,
): Promise<HttpRequest & { readonly body?: Uint8Array | undefined }> {
  const { request, context } = prepare(options);
  const query = await signQuery(request, context, expiresIn);
  const body = options.body === undefined ? undefined : Buffer.from(options.body);
  return toMessage(request, request.headers, query, body);
}

function prepare(options: SignOptions) {
  const { dialect = AWS_DIALECT, region = "us-east-1", credentials, date = new Date() } = options;
  const [path = "/", query = ""] = (options.target ?? "/").split("?");
  const headers = { host: options.host ?? "127.0.0.1:9000", ...options.headers };
  const request = { method: options.method ?? "GET", path, query, headers };
  return { request, context: { dialect, region, credentials, date } };
}

function toMessage(
  { method, path, headers: { host } }: { method: string; path: string; headers: { host: string } },
  headers: Readonly<Record<string, string>>,
  query: string,
  body: Uint8Array | undefined,
) {
  return { method, origin: `http://${host}`, path, query, headers, body };
}

export interface ChunkedOptions {
  /** Name and value. */
  readonly trailer?: readonly [name: string, value: string] | undefined;
  readonly dialect?: Dialect | undefined;
  readonly region?: string | undefined;
  readonly secretAccessKey: string;
}

/** The signed aws-chunked body that continues a signed request. */
export function signedChunks(
  request: HttpRequest,
  chunks: readonly Uint8Array[],
  options: ChunkedOptions,
): Buffer {
  const { trailer, dialect = AWS_DIALECT, region = "us-east-1", secretAccessKey } = options;
  const { infix, service, terminator, scheme } = dialect;
  const timestamp = request.headers[`x-${infix}-date`]!;
  const scope = [timestamp.slice(0, 8), region, service, terminator];
  const hmac = (key: string | Buffer, text: string) =>
    createHmac("sha256", key).update(text).digest();
  const key = scope.reduce<string | Buffer>(hmac, scheme + secretAccessKey);
  const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
  let previous = /Signature=([\da-f]{64})/.exec(request.headers["authorization"]!)![1]!;
  const sign = (kind: string, hashes: readonly string[]) => {
    const head = [`${algorithmOf(dialect)}-${kind}`, timestamp, scope.join("/"), previous];
    previous = hmac(key, [...head, ...hashes].join("\n")).toString("hex");
    return previous;
  };

  const pieces: Uint8Array[] = [];
  for (const chunk of [...chunks, Buffer.alloc(0)]) {
    const signature = sign("PAYLOAD", [sha256(""), sha256(chunk)]);
    pieces.push(
      Buffer.from(`${chunk.length.toString(16)};chunk-signature=${signature}\r\n`),
      chunk,
    );
    if (chunk.length > 0) pieces.push(Buffer.from("\r\n"));
  }
  if (trailer !== undefined) {
    const [name, value] = trailer;
    const signature = sign("TRAILER", [sha256(`${name}:${value}\n`)]);
    pieces.push(Buffer.from(`${name}:${value}\r\nx-${infix}-trailer-signature:${signature}\r\n`));
  }
  return Buffer.concat([...pieces, Buffer.from("\r\n")]);
}

/** The unsigned aws-chunked body with a trailer. */
export function unsignedChunks(
  chunks: readonly Uint8Array[],
  [name, value]: readonly [name: string, value: string],
): Buffer {
  const pieces = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${name}:${value}\r\n\r\n`)]);
}

/** A response's status, body, and S3's code when it is an error document. */
export async function answerOf(response: HttpResponse): Promise<{
  status: number;
  text: string;
  code: string | undefined;
  message: string | undefined;
}> {
  const text = (await readAll(response.body, 10_000_000)).toString();
  const error = text.includes("<Error>") ? parseXml(text) : undefined;
  return {
    status: response.status,
    text,
    code: error && childText(error, "Code"),
    message: error && childText(error, "Message"),
  };
}
