/**
 * HTTP/1.1 straight over sockets: what node:http does in several times the CPU. It speaks only the
 * plain form; whatever else comes goes to the fallback, which is node:http.
 */
import { connect } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";

import type {
  HandlerOptions,
  HttpHandler,
  HttpRequest,
  HttpResponse,
} from "../../../protocol/message.js";
import { Connection, type OnRead } from "./connection.js";
import { requestHead } from "./request-head.js";
import { UnusualResponse } from "./response-head.js";

export interface SocketTransportOptions {
  /** Connections an origin at most; further requests wait their turn. */
  readonly maxSockets: number;
  /** Milliseconds without progress after which a connection is given up. */
  readonly idleTimeoutMs: number;
  readonly tls: {
    readonly secureContext?: SecureContext | undefined;
    readonly rejectUnauthorized: boolean;
  };
  /** Takes what this transport does not speak. */
  readonly fallback: HttpHandler;
}

interface Pool {
  readonly idle: Connection[];
  readonly waiting: (() => void)[];
  open: number;
}

const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE"]);

/** A handler with a pool of keep-alive connections. */
export function createSocketTransport(options: SocketTransportOptions): {
  readonly handler: HttpHandler;
  close(): void;
} {
  const pools = new Map<string, Pool>();
  /** Origins that answered in a way only the fallback understands. */
  const unusual = new Set<string>();
  const everyConnection = new Set<Connection>();

  const poolOf = (origin: string): Pool => {
    let pool = pools.get(origin);
    if (pool === undefined) pools.set(origin, (pool = { idle: [], waiting: [], open: 0 }));
    return pool;
  };

  const openConnection = (origin: string, pool: Pool): Connection => {
    const connection = new Connection(
      (onread) => openSocket(new URL(origin), onread, options),
      () => {
        connection.rest();
        pool.idle.push(connection);
        pool.waiting.shift()?.();
      },
      () => {
        everyConnection.delete(connection);
        pool.open -= 1;
        pool.waiting.shift()?.();
      },
    );
    pool.open += 1;
    everyConnection.add(connection);
    return connection;
  };

  const acquire = async (origin: string, fresh: boolean, signal?: AbortSignal) => {
    const pool = poolOf(origin);
    for (;;) {
      signal?.throwIfAborted();
      const idle = pool.idle.pop();
      if (idle !== undefined) {
        if (!idle.usable) continue;
        if (!fresh) return { connection: idle, reused: true };
        idle.destroy();
      }
      if (pool.open < options.maxSockets) {
        return { connection: openConnection(origin, pool), reused: false };
      }
      await turn(pool, signal);
    }
  };

  const attempt = async (
    request: HttpRequest,
    head: string,
    handling: HandlerOptions,
    fresh: boolean,
  ): Promise<HttpResponse> => {
    const { connection, reused } = await acquire(request.origin, fresh, handling.signal);
    let sent = 0;
    const onSent = (count: number) => {
      sent += count;
      handling.onSent?.(count);
    };
    try {
      return await connection.send(request, head, { signal: handling.signal, onSent });
    } catch (error) {
      const again =
        IDEMPOTENT.has(request.method) && !connection.heard && handling.signal?.aborted !== true;
      // The server closed a connection while it was idle: nobody has seen this request.
      if (!reused || fresh || !again || !isReset(error)) throw error;
      if (sent > 0) handling.onSent?.(-sent);
      return await attempt(request, head, handling, true);
    }
  };

  return {
    handler: async (request, handling = {}) => {
      const plain =
        request.body === undefined ||
        (request.body.length !== undefined && request.headers["expect"] === undefined);
      if (!plain || unusual.has(request.origin)) return await options.fallback(request, handling);
      try {
        return await attempt(request, requestHead(request), handling, false);
      } catch (error) {
        if (!(error instanceof UnusualResponse) || !IDEMPOTENT.has(request.method)) throw error;
        unusual.add(request.origin);
        return await options.fallback(request, handling);
      }
    },
    close: () => {
      for (const connection of everyConnection) connection.destroy();
    },
  };
}

/** Resolves when a connection was freed or closed. */
async function turn(pool: Pool, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      pool.waiting.splice(pool.waiting.indexOf(wake), 1);
      reject(signal!.reason as Error);
    };
    const wake = () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    pool.waiting.push(wake);
  });
}

function openSocket(origin: URL, onread: OnRead, options: SocketTransportOptions) {
  const host = origin.hostname.replace(/^\[|\]$/g, "");
  const secure = origin.protocol === "https:";
  const port = Number(origin.port) || (secure ? 443 : 80);
  // Absent from Node's types for TLS, though tls.connect hands it to the socket like net.connect.
  const target = { host, port, onread } as { host: string; port: number };
  const socket = secure
    ? connectTls({
        ...target,
        ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: options.tls.rejectUnauthorized,
        secureContext: options.tls.secureContext,
      })
    : connect(target);
  socket.setTimeout(options.idleTimeoutMs);
  return socket;
}

function isReset(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ECONNRESET" || code === "EPIPE";
}
