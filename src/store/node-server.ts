/** The store over HTTP and HTTPS, on Node's own server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

import type { HttpResponse } from "../protocol/message.js";
import { writeXml } from "../protocol/xml.js";
import type { Store } from "./index.js";
import { trackConnections } from "./node-connections.js";
import { toRequest, toWire } from "./node-request.js";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  /** Milliseconds until the head of a request must be there. Default a minute. */
  readonly headTimeout?: number | undefined;
  /** Told of an answer that could not be put on the wire. Default: nobody. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface RunningServer {
  /** `http://127.0.0.1:9000`, with the port that was taken. */
  readonly url: string;
  /**
   * Takes no more requests, finishes those that run, and closes. Requests that still run after
   * `deadline` milliseconds are broken off; without a deadline, none are.
   */
  close(deadline?: number): Promise<void>;
}

/** Room for several times a presigned URL of the longest key and metadata at its limit. */
const MAX_HEAD_BYTES = 32 * 1024;
/** A client that sends its head byte by byte must not keep a connection for ever. */
const HEAD_MS = 60_000;
/** How long a connection is kept for a next request. */
const IDLE_MS = 120_000;
/** How long a request may go without a byte either way, as a big copy on a slow disk does. */
const STALL_MS = 600_000;
/** How much, and how long, is read of a refused body, so that the client gets to read why. */
const MAX_DRAIN_BYTES = 16 * 1024 * 1024;
const MAX_DRAIN_MS = 2000;

/** Starts serving. Rejects when the address cannot be had. */
export async function listen(
  store: Pick<Store, "handler">,
  options: ListenOptions,
): Promise<RunningServer> {
  const { headTimeout = HEAD_MS, onError = () => undefined } = options;
  const settings = {
    maxHeaderSize: MAX_HEAD_BYTES,
    // Without `requestTimeout` Node sets no limit of its own.
    headersTimeout: headTimeout,
    connectionsCheckingInterval: Math.min(headTimeout, 10_000),
    keepAliveTimeout: IDLE_MS,
    // An upload may take hours; a connection that stalls is ended by `timeout` below.
    requestTimeout: 0,
  };
  const server: Server =
    options.tls === undefined
      ? createServer(settings)
      : createTlsServer({
          ...settings,
          handshakeTimeout: Math.min(headTimeout, 10_000),
          ...options.tls,
        });
  server.timeout = STALL_MS;
  const connections = trackConnections(server, options.tls !== undefined);

  const serve = (awaitsContinue: boolean) => (req: IncomingMessage, res: ServerResponse) => {
    connections.begin(req.socket);
    res.once("close", () => connections.end(req.socket));
    exchange(store, req, res, { awaitsContinue, last: connections.closing }).catch((error) => {
      // The answer broke off, and how the connection ends says so; the store reported the cause.
      if (res.headersSent || res.destroyed) return req.socket.destroy();
      onError(error);
      res.writeHead(500, { "content-type": "application/xml", connection: "close" });
      res.end(errorDocument("InternalError", "We encountered an internal error."));
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
  let closed: Promise<void> | undefined;
  const host = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `${options.tls === undefined ? "http" : "https"}://${host}:${port}`,
    close: (deadline) =>
      (closed ??= new Promise((resolve, reject) => {
        const timer =
          deadline === undefined ? undefined : setTimeout(() => connections.destroy(), deadline);
        server.close((error) => {
          clearTimeout(timer);
          if (error === undefined) resolve();
          else reject(error);
        });
        connections.close();
      })),
  };
}

const DISPOSITION = "content-disposition";

interface ExchangeOptions {
  readonly awaitsContinue: boolean;
  /** Whether the connection is to be closed after this exchange. */
  readonly last: () => boolean;
}

async function exchange(
  store: Pick<Store, "handler">,
  req: IncomingMessage,
  res: ServerResponse,
  { awaitsContinue, last }: ExchangeOptions,
): Promise<void> {
  let sending = !awaitsContinue;
  const request = toRequest(req, () => {
    if (!sending) res.writeContinue();
    sending = true;
  });
  const response = await store.handler(request, { peer: req.socket.remoteAddress ?? "unknown" });
  const unread = request.body !== undefined && !req.readableEnded;
  const headers = Object.entries(response.headers)
    .map(([name, value]): [string, string] => [name, toWire(value)])
    // Once Node has seen a length, it encodes this header as text; so this header goes first.
    .sort(([a], [b]) => Number(b === DISPOSITION) - Number(a === DISPOSITION));
  if (unread || last()) headers.push(["connection", "close"]);
  res.writeHead(response.status, headers.flat());
  if (response.bytes !== undefined && !unread) return void res.end(response.bytes);
  await send(res, response);
  if (unread && sending) await drain(req, res);
  res.end();
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
}

/**
 * Reads on for a while after a refusal: closing with bytes unread would reset the connection, and
 * the client might never see the answer.
 */
async function drain(req: IncomingMessage, res: ServerResponse): Promise<void> {
  res.flushHeaders();
  const timer = setTimeout(() => req.destroy(), MAX_DRAIN_MS);
  try {
    let size = 0;
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > MAX_DRAIN_BYTES) break;
    }
  } catch {
    // The client has gone, which ends the wait as well.
  } finally {
    clearTimeout(timer);
  }
}

/** S3's words for what Node finds before there is a request, by Node's code. */
const UNREADABLE: Readonly<Record<string, readonly [code: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    "RequestHeaderSectionTooLarge",
    "Your request header section exceeds the maximum allowed size.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    "RequestTimeout",
    "Your socket connection to the server was not read from or written to within the timeout period.",
  ],
};

/** Answers a request that is not HTTP, too long or too late, while the connection still can. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { bytesWritten = 0 } = socket as Partial<Socket>;
  // Any other failure is one of the connection or of TLS, where an answer would wait for ever.
  const isRequest = /^(?:HPE_|ERR_HTTP_)/.test(error.code ?? "");
  if (!socket.writable || !isRequest || bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [code, message] = UNREADABLE[error.code ?? ""] ?? [
    "BadRequest",
    "An error occurred when parsing the HTTP request.",
  ];
  const document = errorDocument(code, message);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/xml\r\ncontent-length: ${document.length}\r\nconnection: close\r\n\r\n${document}`,
  );
}

function errorDocument(Code: string, Message: string): string {
  return writeXml("Error", { Code, Message });
}
