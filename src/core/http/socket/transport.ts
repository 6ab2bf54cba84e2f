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

  const acquire = async (origin: string, fresh: boolean, signal?: AbortSignal) => {
    const pool = poolOf(origin);
    const opener = await pool.opener;
    for (;;) {
      signal?.throwIfAborted();
      const idle = pool.idle.pop();
      if (idle !== undefined) {
        if (!idle.usable) continue;
        if (!fresh) return { connection: idle, reused: true };
        idle.destroy();
      }
      if (pool.open < options.concurrency) {
        return { connection: openConnection(opener, pool), reused: false };
      }
      await turn(pool, signal);
      // Who was woken and no longer wants its turn passes it on.
      if (signal?.aborted === true) pool.waiting.shift()?.();
    }
  };

  const attempt = async (
    request: HttpRequest,
    head: Buffer,
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
      const again = isRepeatable(request) && !connection.heard && handling.signal?.aborted !== true;
      // The server closed a connection while it was idle: most likely nobody has seen this request.
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
        if (!(error instanceof UnusualResponse) || !isRepeatable(request)) throw error;
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
