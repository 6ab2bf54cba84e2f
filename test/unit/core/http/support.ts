/** Small servers for the tests of the HTTP layer, closed after each test. */
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  createServer,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  type Server as TcpServer,
  createServer as createTcpServer,
} from "node:net";
import type { Socket } from "node:net";

import { onTestFinished } from "vitest";

import type { ResolvedAlias } from "../../../../src/core/config/types.js";
import type { Credentials, SignedClient } from "../../../../src/core/http/client.js";
import { createNodeTransport } from "../../../../src/core/http/node/transport.js";
import {
  type SignedClientOptions,
  createSignedClient,
} from "../../../../src/core/http/signed-client.js";
import { type TransportOptions, createTransport } from "../../../../src/core/http/transport.js";
import { AWS_DIALECT } from "../../../../src/protocol/dialect.js";
import { type HttpRequest, type StreamBody, readAll } from "../../../../src/protocol/message.js";

export const KEYS: Credentials = { accessKeyId: "AKID", secretAccessKey: "the-secret-key" };

/** Listens on a port of its own; returns the origin. */
export async function listen(server: Server | TcpServer, scheme = "http"): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function serve(listener: RequestListener): Promise<string> {
  return listen(createServer(listener));
}

export function serveTls(
  pair: { key: string; cert: string },
  listener: RequestListener,
): Promise<string> {
  return listen(createTlsServer(pair, listener), "https");
}

/** A server below HTTP. */
export function serveRaw(onSocket: (socket: Socket) => void): Promise<string> {
  return listen(
    createTcpServer((socket) => {
      socket.on("error", () => undefined);
      onTestFinished(() => {
        socket.destroy();
      });
      onSocket(socket);
    }),
  );
}

export async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  return readAll(message, 1e9);
}

/** The transport as it is used, and the half of it that is node:http alone. */
export const TRANSPORTS = [
  ["over sockets", createTransport],
  ["over node:http", nodeTransport],
] as const;

function nodeTransport(options: TransportOptions = {}) {
  return createNodeTransport({
    concurrency: 256,
    connectTimeout: 10_000,
    idleTimeout: 60_000,
    env: {},
    ...options,
  });
}

export function get(origin: string, overrides: Partial<HttpRequest> = {}): HttpRequest {
  const host = new URL(origin).host;
  return { method: "GET", origin, path: "/", query: "", headers: { host }, ...overrides };
}

export function alias(url: string, overrides: Partial<ResolvedAlias> = {}): ResolvedAlias {
  return {
    name: "test",
    url: new URL(url),
    region: "us-east-1",
    pathStyle: "auto",
    dialect: AWS_DIALECT,
    credentials: "static",
    insecure: false,
    origin: "test",
    ...overrides,
  };
}

/** A client whose repeats do not wait. */
export function client(
  url: string,
  overrides: Partial<ResolvedAlias> = {},
  options: Partial<SignedClientOptions> = {},
): SignedClient {
  const made = createSignedClient({
    alias: alias(url, overrides),
    credentials: async () => KEYS,
    env: {},
    random: () => 0,
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

export function s3Error(
  response: ServerResponse,
  status: number,
  code: string,
  inner = "",
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/xml", ...headers });
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>said so</Message>${inner}<RequestId>REQ1</RequestId></Error>`,
  );
}

/** A body of `count` chunks in one buffer that is overwritten for each, as readers may do. */
export function stream(chunk: number, count: number, declared = chunk * count): StreamBody {
  return {
    length: declared,
    open: async function* () {
      const buffer = Buffer.alloc(chunk);
      for (let index = 0; index < count; index++) yield buffer.fill(index);
    },
  };
}
