/** Canned answers, for tests of what reads them. */
import type { HttpHandler, HttpRequest, HttpResponse } from "../../src/protocol/message.js";

/** An answer with a length of its own, unless `headers` says otherwise. */
export function answer(
  status: number,
  text: string | Uint8Array = "",
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const bytes = Buffer.from(text as string);
  return {
    status,
    headers: { "content-length": String(bytes.length), ...headers },
    body: chunksOf(bytes),
  };
}

/** An S3 error document. */
export function refusal(status: number, code: string): HttpResponse {
  return answer(status, `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, {
    "content-type": "application/xml",
  });
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += 1000) yield bytes.subarray(i, i + 1000);
}

export interface Script {
  readonly handler: HttpHandler;
  /** The requests so far, in order: `GET /bucket/key?query`. */
  readonly asked: string[];
  readonly requests: HttpRequest[];
}

/** A handler that answers with what `respond` makes of the request and its number from 0. */
export function script(
  respond: (request: HttpRequest, index: number) => HttpResponse | Promise<HttpResponse>,
): Script {
  const requests: HttpRequest[] = [];
  const asked: string[] = [];
  const handler: HttpHandler = async (request, options) => {
    options?.signal?.throwIfAborted();
    requests.push(request);
    asked.push(`${request.method} ${request.path}${request.query && `?${request.query}`}`);
    return respond(request, requests.length - 1);
  };
  return { handler, asked, requests };
}
