/** The store over HTTP and HTTPS, on Node's own server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

import type { HttpRequest, HttpResponse, RequestBody } from "../protocol/message.js";
import type { Store } from "./index.js";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
}

export interface RunningServer {
  /** `http://127.0.0.1:9000`, with the port that was taken. */
  readonly url: string;
  /** Takes no more requests, finishes those that run, and closes. */
  close(): Promise<void>;
}

/** A presigned URL of the longest key and metadata at its limit fit several times. */
const MAX_HEAD_BYTES = 32 * 1024;
/** A connection on which nothing moves. */
const IDLE_MS = 120_000;
/** What is read of a body that was refused, so that the client gets to read the refusal. */
const MAX_DRAIN_BYTES = 4 * 1024 * 1024;

/** Starts serving. Rejects when the address cannot be had. */
export async function listen(store: Store, options: ListenOptions): Promise<RunningServer> {
  const settings = {
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAliveTimeout: IDLE_MS,
    // An upload may take hours; a connection that stalls is ended by `timeout` below.
    requestTimeout: 0,
  };
  const server: Server =
    options.tls === undefined
      ? createServer(settings)
      : createTlsServer({ ...settings, ...options.tls });
  server.timeout = IDLE_MS;
  let closing = false;

  const serve = (awaitsContinue: boolean) => (req: IncomingMessage, res: ServerResponse) => {
    res.once("close", () => {
      if (closing) server.closeIdleConnections();
    });
    exchange(store, req, res, { awaitsContinue, last: () => closing }).catch(() => {
      // The answer broke off, and how the connection ends says so; the store reported the cause.
      req.socket.destroy();
    });
  };
  server.on("request", serve(false));
  server.on("checkContinue", serve(true));
  // Other expectations may be ignored (RFC 9110 §10.1.1), as S3 does; Node alone would answer 417.
  server.on("checkExpectation", serve(false));
  server.on("clientError", refuseUnreadable);

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { address, family, port } = server.address() as AddressInfo;
  const host = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `${options.tls === undefined ? "http" : "https"}://${host}:${port}`,
    close: () =>
      new Promise((resolve, reject) => {
        closing = true;
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeIdleConnections();
      }),
  };
}

interface ExchangeOptions {
  readonly awaitsContinue: boolean;
  /** Whether the connection is to be closed after this exchange. */
  readonly last: () => boolean;
}

async function exchange(
  store: Store,
  req: IncomingMessage,
  res: ServerResponse,
  { awaitsContinue, last }: ExchangeOptions,
): Promise<void> {
  const request = toRequest(req, awaitsContinue ? () => res.writeContinue() : () => undefined);
  const response = await store.handler(request);
  const unread = request.body !== undefined && !req.readableEnded;
  const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    toWire(value),
  ]);
  if (unread || last()) headers.push(["connection", "close"]);
  res.writeHead(response.status, headers.flat());
  await send(res, response);
  if (unread) await drain(req);
}

/** Writes the body as fast as the client takes it; a chunk is let go only when it has left. */
async function send(res: ServerResponse, response: HttpResponse): Promise<void> {
  for await (const chunk of response.body) {
    if (res.destroyed) return;
    await new Promise<void>((resolve, reject) => {
      const gone = () => reject(new Error("the client has gone"));
      res.once("close", gone);
      res.write(chunk, (error) => {
        res.off("close", gone);
        if (error) reject(error);
        else resolve();
      });
    });
  }
  res.end();
}

/** Reads on for a while, so that closing does not reset the connection under the answer. */
async function drain(req: IncomingMessage): Promise<void> {
  let size = 0;
  for await (const chunk of req) {
    size += (chunk as Buffer).length;
    if (size > MAX_DRAIN_BYTES) break;
  }
}

function toRequest(req: IncomingMessage, onOpen: () => void): HttpRequest {
  const headers = readHeaders(req.rawHeaders);
  const encrypted = "encrypted" in req.socket;
  const url = req.url ?? "/";
  // A proxy's request names the whole URL (RFC 9112 §3.2.2).
  const target = /^https?:\/\//i.test(url) ? url.replace(/^[^/]*\/\/[^/?]*/, "") : url;
  const question = target.indexOf("?");
  return {
    method: req.method ?? "GET",
    origin: `${encrypted ? "https" : "http"}://${headers["host"] ?? "localhost"}`,
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? "" : target.slice(question + 1),
    headers,
    body: toBody(req, headers, onOpen),
  };
}

function toBody(
  req: IncomingMessage,
  headers: Readonly<Record<string, string>>,
  onOpen: () => void,
): RequestBody | undefined {
  const length = headers["content-length"];
  if (length === "0" || (length === undefined && headers["transfer-encoding"] === undefined)) {
    return undefined;
  }
  return {
    length: length === undefined ? undefined : Number(length),
    open: () => {
      onOpen();
      return req as AsyncIterable<Uint8Array>;
    },
  };
}

/** Headers by lower-case name; repeated ones joined, as they are for signing. */
function readHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    const value = fromWire(raw[index + 1]!);
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return headers;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Node reads header bytes as Latin-1; clients that send more than ASCII send UTF-8. */
function fromWire(value: string): string {
  if (/^[\u0000-\u007f]*$/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, "latin1"));
  } catch {
    // Not UTF-8, so it was Latin-1 indeed.
    return value;
  }
}

function toWire(value: string): string {
  return /^[\u0000-\u007f]*$/.test(value) ? value : Buffer.from(value, "utf8").toString("latin1");
}

/** What is not HTTP, or too long, gets an answer while the connection can still carry one. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { bytesWritten = 0 } = socket as Partial<Socket>;
  if (!socket.writable || error.code === "ECONNRESET" || bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const tooLong = error.code === "HPE_HEADER_OVERFLOW";
  const code = tooLong ? "RequestHeaderSectionTooLarge" : "BadRequest";
  const message = tooLong
    ? "Your request header section exceeds the maximum allowed size."
    : "An error occurred when parsing the HTTP request.";
  const document = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/xml\r\ncontent-length: ${document.length}\r\nconnection: close\r\n\r\n${document}`,
  );
}
