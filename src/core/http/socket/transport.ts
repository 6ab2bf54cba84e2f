/**
 * HTTP/1.1 straight over sockets: what node:http does in several times the CPU. It speaks only the
 * plain form; whatever else comes goes to the fallback, which is node:http.
 */
import { connect, isIP, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";

import type {
  HandlerOptions,
  HttpHandler,
  HttpRequest,
  HttpResponse,
} from "../../../protocol/message.js";
import { onAbort } from "../../on-abort.js";
import { Connection, type OnRead, type Timeouts } from "./connection.js";
import { requestHead } from "./request-head.js";
import { UnusualResponse } from "./response-head.js";

export interface SocketTransportOptions extends Timeouts {
  /** Connections an origin at most; further requests wait their turn. */
  readonly concurrency: number;
  /** Certificates and checks, asked for once, before the first TLS connection. */
  readonly tlsOptions: () => Promise<ConnectionOptions>;
  /** Takes what this transport does not speak. */
  readonly fallback: HttpHandler;
}

type Opener = (onread: OnRead) => Socket;

interface Pool {
  readonly opener: Promise<Opener>;
  readonly idle: Connection[];
  readonly waiting: (() => void)[];
  open: number;
}

const IDEMPOTENT = new Set(["PUT", "DELETE"]);

/**
 * Whether a request does no harm when it was done before, unheard. A conditional write is refused
 * then, as if somebody else had come first.
 */
function isRepeatable({ method, headers }: HttpRequest): boolean {
  if (method === "GET" || method === "HEAD") return true;
  const conditional = headers["if-match"] ?? headers["if-none-match"];
  return IDEMPOTENT.has(method) && conditional === undefined;
}

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
    if (pool === undefined) {
      const opener = openerFor(new URL(origin), options);
      pool = { opener, idle: [], waiting: [], open: 0 };
      pools.set(origin, pool);
      opener.catch(() => pools.delete(origin));
    }
    return pool;
  };

  const openConnection = (opener: Opener, pool: Pool): Connection => {
    const connection = new Connection(
      opener,
      options,
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

  /** A connection that waits for its next request. */
  const takeIdle = (pool: Pool | undefined): Connection | undefined => {
    for (;;) {
      const idle = pool?.idle.pop();
      if (idle === undefined || idle.usable) return idle;
      idle.destroy();
    }
  };

  /** A connection of its own making for a request, or one that others have freed. */
  const acquire = async (
    origin: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly connection: Connection; readonly reused: boolean }> => {
    const pool = poolOf(origin);
    const opener = await pool.opener;
    for (;;) {
      signal?.throwIfAborted();
      const idle = takeIdle(pool);
      if (idle !== undefined) return { connection: idle, reused: true };
      if (pool.open < options.concurrency) {
        return { connection: openConnection(opener, pool), reused: false };
      }
      await turn(pool, signal);
      // A waiter that was woken, but no longer wants its turn, wakes the next one.
      if (signal?.aborted === true) pool.waiting.shift()?.();
    }
  };

  /** Sends over a kept connection or a new one. With `fresh` no kept one is trusted. */
  const attempt = async (
    request: HttpRequest,
    { signal, onSent }: HandlerOptions,
    fresh: boolean,
  ): Promise<HttpResponse> => {
    const head = requestHead(request);
    const pool = pools.get(request.origin);
    if (fresh) for (const idle of pool?.idle.splice(0) ?? []) idle.destroy();
    let connection = takeIdle(pool);
    let reused = true;
    if (connection === undefined) ({ connection, reused } = await acquire(request.origin, signal));
    let sent = 0;
    const count = (bytes: number) => {
      sent += bytes;
      onSent?.(bytes);
    };
    try {
      return await connection.send(request, head, signal, count);
    } catch (error) {
      const mayRepeat = isRepeatable(request) && signal?.aborted !== true;
      // The server closed a connection while it was idle: most likely nobody has seen this request.
      if (mayRepeat && reused && !fresh && !connection.heard && isReset(error)) {
        if (sent > 0) onSent?.(-sent);
        return await attempt(request, { signal, onSent }, true);
      }
      if (!mayRepeat || !(error instanceof UnusualResponse)) throw error;
      unusual.add(request.origin);
      return await options.fallback(request, { signal, onSent });
    }
  };

  return {
    handler: (request, handling = {}) => {
      const { body, headers, origin } = request;
      const plain =
        body === undefined || (body.length !== undefined && headers["expect"] === undefined);
      if (!plain || unusual.has(origin)) return options.fallback(request, handling);
      return attempt(request, handling, false);
    },
    close: () => {
      for (const connection of everyConnection) connection.destroy();
    },
  };
}

/** Resolves when a connection was freed or closed. */
async function turn(pool: Pool, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const release =
      signal &&
      onAbort(signal, (reason) => {
        pool.waiting.splice(pool.waiting.indexOf(wake), 1);
        reject(reason);
      });
    const wake = () => {
      release?.();
      resolve();
    };
    pool.waiting.push(wake);
  });
}

async function openerFor(origin: URL, options: SocketTransportOptions): Promise<Opener> {
  const host = origin.hostname.replace(/^\[|\]$/g, "");
  if (origin.protocol !== "https:") {
    const port = Number(origin.port) || 80;
    return (onread) => connect({ host, port, onread });
  }
  const { connect: connectTls, createSecureContext } = await import("node:tls");
  const given = await options.tlsOptions();
  const target = {
    ...given,
    secureContext: given.secureContext ?? createSecureContext(),
    host,
    port: Number(origin.port) || 443,
    // A server name is a name; an address is not to be sent as one (RFC 6066, 3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
  // Node's types know `onread` only for plain sockets; tls.connect hands it on alike.
  return (onread) => connectTls({ ...target, onread } as ConnectionOptions);
}

function isReset(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ECONNRESET" || code === "EPIPE";
}
