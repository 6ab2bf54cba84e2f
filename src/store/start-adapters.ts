/** The store's handler in the forms that test code has at hand: `fetch`, and the AWS SDK's own. */
import { Readable } from "node:stream";

import type { HttpHandler, HttpRequest, HttpResponse, RequestBody } from "../protocol/message.js";
import type { StoreRequestHandler } from "./start-types.js";
import { encodeText } from "./uri.js";

/** Answers a request of the fetch standard. */
export async function answerFetch(handler: HttpHandler, request: Request): Promise<Response> {
  const { origin, pathname, search, host } = new URL(request.url);
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const headers = { ...Object.fromEntries(request.headers), host };
  const response = await handler(
    { method: request.method, origin, path: pathname, query: search.slice(1), headers, body },
    { signal: request.signal },
  );
  const bare = [204, 304].includes(response.status) || request.method === "HEAD";
  return new Response(
    bare ? null : (Readable.toWeb(streamOf(response)) as ConstructorParameters<typeof Response>[0]),
    {
      status: response.status,
      headers: new Headers(response.headers),
    },
  );
}

/** The shape of the SDK's own request; its classes are not needed for that. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The SDK's request handler that never leaves the process. */
export function sdkHandler(handler: HttpHandler): StoreRequestHandler {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    handle: async (request: SdkRequest, options = {}) => {
      const { method, protocol, hostname, port, path } = request;
      const host = port === undefined ? hostname : `${hostname}:${port}`;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const message: HttpRequest = {
        method,
        origin: `${protocol}//${host}`,
        path,
        query: queryOf(request.query),
        headers: { ...headers, host: headers["host"] ?? host },
        body: await bodyOf(request.body, headers["content-length"]),
      };
      const signal = options.abortSignal instanceof AbortSignal ? options.abortSignal : undefined;
      const response = await handler(message, { signal });
      const { status: statusCode, headers: answered } = response;
      return { response: { statusCode, headers: { ...answered }, body: streamOf(response) } };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    destroy: () => undefined,
  };
}

function queryOf(query: SdkRequest["query"] = {}): string {
  return Object.entries(query)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]))
    .map(([name, value]) => `${encodeText(name as string)}=${encodeText((value ?? "") as string)}`)
    .join("&");
}

/** A body in whichever form a caller of the SDK gives it. */
async function bodyOf(body: unknown, length: string | undefined): Promise<RequestBody | undefined> {
  if (body === undefined || body === null || body === "") return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof Blob) return new Uint8Array(await body.arrayBuffer());
  const stream = body as AsyncIterable<Uint8Array>;
  return { length: length === undefined ? undefined : Number(length), open: () => stream };
}

/** An answer's body as a stream of its own; the store's chunks are only lent. */
function streamOf(response: HttpResponse): Readable {
  return Readable.from(copied(response), { objectMode: false });
}

async function* copied({ body }: HttpResponse): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk);
}
