/** Serving several clients over Streamable HTTP, each in a session of its own. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

import { judgeRequest } from "./http-gate.js";
import { type Log, logStack } from "./log.js";
import type { PailServer } from "./server.js";

/** Bytes of one request; the text of a put_object is the largest. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Clients at once; the one that was quiet the longest gives way to a new one. */
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
  readonly transport: StreamableHTTPServerTransport;
  readonly server: PailServer;
}

/** Serves until the signal fires; then aborts what runs, and resolves once that has cleaned up. */
export async function serveHttp(makeServer: () => PailServer, options: HttpOptions): Promise<void> {
  const { host, port, token, signal, log, onListening } = options;
  // In the order of their last use.
  const sessions = new Map<string, Session>();

  const end = async (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.mcp.close();
    await session?.server.idle();
  };
  const begin = async (): Promise<Session> => {
    const server = makeServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, server });
        const [oldest] = sessions.keys();
        if (sessions.size <= MAX_SESSIONS || oldest === undefined) return;
        end(oldest).catch((error: unknown) => logStack(log, error));
      },
      onsessionclosed: (id) => end(id),
    });
    Object.assign(server.mcp.server, { onerror: (error: Error) => log.debug(error.message) });
    await server.mcp.connect(transport);
    return { transport, server };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = judgeRequest(request.url ?? "/", request.headers, token);
    if (refusal !== undefined) {
      log.info(`refused ${request.method} with ${refusal.status}: ${refusal.message}`);
      return refuse(response, refusal.status, refusal.message);
    }
    const id = request.headers["mcp-session-id"];
    if (id === undefined) {
      const { transport, server } = await begin();
      await transport.handleRequest(request, response);
      // Not an initialize request: it was refused, and nothing will come of this session.
      if (transport.sessionId === undefined) await server.mcp.close();
      return;
    }
    const session = sessions.get(String(id));
    if (session === undefined) return refuse(response, 404, "there is no such session");
    sessions.delete(String(id));
    sessions.set(String(id), session);
    await session.transport.handleRequest(request, response);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      logStack(log, error);
      if (!response.headersSent) refuse(response, 500, "internal error");
      else response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  onListening(`http://${host.includes(":") ? `[${host}]` : host}:${bound}/mcp`);

  if (!signal.aborted) await once(signal, "abort");
  await Promise.all([...sessions.keys()].map(end));
  server.close();
  server.closeAllConnections();
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    connection: "close",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }));
}
