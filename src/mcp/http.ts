/** Serving several clients over Streamable HTTP: the older protocols in sessions, the newest without. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import {
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";

import { AppError } from "../core/failures/errors.js";
import { codeOf } from "../core/failures/local.js";
import { type Flights, createFlights } from "./flight.js";
import { judgeRequest } from "./http-gate.js";
import { type Log, logStack } from "./log.js";
import type { PailServer } from "./server.js";

/** Bytes of one request; the text of a put_object is the largest. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Sessions at once; one that is quiet gives way to a new one, the longest quiet first. */
const MAX_SESSIONS = 64;

export interface HttpOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly token: string;
  /** Fires when the server is to end. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Told the endpoint's URL once it is open. */
  readonly onListening: (url: string) => void;
}

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: PailServer;
}

/**
 * Serves until the signal fires; then aborts what runs, and resolves once that has cleaned up.
 * Throws a usage error when the address cannot be listened on.
 */
export async function serveHttp(
  makeServer: (flights: Flights) => PailServer,
  options: HttpOptions,
): Promise<void> {
  const { host, port, token, signal, log, onListening } = options;
  // The sessions, in the order of their last use.
  const sessions = new Map<string, Session>();
  // The servers for the newest protocol: each lives for one request.
  const passing = new Set<PailServer>();

  const end = async (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.mcp.close();
    await session?.server.idle();
  };
  const begin = async (): Promise<Session> => {
    const flights = createFlights();
    const server = makeServer(flights);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, server });
      },
      onsessionclosed: (id) => end(id),
    });
    Object.assign(server.mcp, { onerror: (error: Error) => log.debug(error.message) });
    await server.mcp.connect(transport);
    const send = transport.send.bind(transport);
    transport.send = async (message, related) => {
      await send(message, related);
      if (!("method" in message) && message.id !== undefined) flights.land(message.id);
    };
    return { transport, server };
  };
  /** Whether there is room for one more session; a quiet one is given up for it where needed. */
  const makeRoom = (): boolean => {
    if (sessions.size < MAX_SESSIONS) return true;
    const [quiet] = [...sessions].find(([, { server }]) => !server.isBusy()) ?? [];
    if (quiet === undefined) return false;
    end(quiet).catch((error: unknown) => logStack(log, error));
    return true;
  };

  const modern = createMcpHandler(
    () => {
      const server = makeServer(createFlights());
      passing.add(server);
      Object.assign(server.mcp, { onclose: () => passing.delete(server) });
      return server.mcp;
    },
    {
      legacy: "reject",
      maxRequestBodySize: MAX_BODY_BYTES,
      onerror: (error) => log.debug(error.message),
    },
  );
  const serveModern = toNodeHandler(modern, { maxRequestBodySize: MAX_BODY_BYTES });

  const serveSession = async (
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
  ) => {
    const id = request.headers["mcp-session-id"];
    if (id === undefined) {
      if (!makeRoom()) return refuse(response, 503, "too many sessions are at work; try again");
      const { transport, server } = await begin();
      await transport.handleRequest(request, response, body);
      // Not an initialize request: it was refused, and nothing will come of this session.
      if (transport.sessionId === undefined) await server.mcp.close();
      return;
    }
    const session = sessions.get(String(id));
    if (session === undefined) return refuse(response, 404, "there is no such session");
    sessions.delete(String(id));
    sessions.set(String(id), session);
    await session.transport.handleRequest(request, response, body);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = judgeRequest(request.url ?? "/", request.headers, token);
    if (refusal !== undefined) {
      log.info(`refused ${request.method} with ${refusal.status}: ${refusal.message}`);
      return refuse(response, refusal.status, refusal.message);
    }
    if (request.method !== "POST") return serveSession(request, response, undefined);
    const text = await readBody(request);
    if (text === undefined) return refuse(response, 413, "the request is longer than 16 MiB");
    const body = parseBody(text);
    if (body === undefined) return refuse(response, 400, "the request is not JSON", -32_700);
    const legacy =
      request.headers["mcp-session-id"] !== undefined ||
      (await isLegacyRequest(await toWebRequest(request, body), body));
    return legacy ? serveSession(request, response, body) : serveModern(request, response, body);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      logStack(log, error);
      if (!response.headersSent) refuse(response, 500, "internal error");
      else response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, "listening").catch((error: unknown) => {
    throw cannotListen(error, host, port);
  });
  const { port: bound } = server.address() as AddressInfo;
  onListening(`http://${host.includes(":") ? `[${host}]` : host}:${bound}/mcp`);

  if (!signal.aborted) await once(signal, "abort");
  await modern.close();
  await Promise.all([...[...sessions.keys()].map(end), ...[...passing].map((one) => one.idle())]);
  server.close();
  server.closeAllConnections();
}

/** Undefined for a body that is too long; what is left of it is not read. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function cannotListen(error: unknown, host: string, port: number): AppError {
  const inUse = codeOf(error) === "EADDRINUSE";
  return new AppError({
    kind: "usage",
    code: inUse ? "AddressInUse" : codeOf(error) || "CannotListen",
    message: `cannot listen on ${host}:${port}${inUse ? ": the address is in use" : ""}`,
    hint: "give another port, or 0 for any that is free: --http 127.0.0.1:0",
    cause: error,
  });
}

function refuse(response: ServerResponse, status: number, message: string, code = -32_000): void {
  response.writeHead(status, {
    "content-type": "application/json",
    connection: "close",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(status === 503 ? { "retry-after": "5" } : {}),
  });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}
