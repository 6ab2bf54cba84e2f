/**
 * Sends HTTP/1.1 requests: a pool of kept connections, timeouts, TLS, proxies. The path goes out as
 * it is given; redirects are answers like any other. Plain requests to an origin that is reached
 * directly go straight over sockets (socket/), everything else over node:http.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import type {
  HandlerOptions,
  HttpHandler,
  HttpRequest,
  HttpResponse,
} from "../../protocol/message.js";
import { type Route, createRoute } from "./agents.js";
import { type ProxyEnvironment, proxyFor } from "./proxy.js";
import { receive } from "./receive.js";
import { type Sending, sendBody } from "./send.js";
import { createSocketTransport } from "./socket/transport.js";
import { type TlsSettings, tlsOptions } from "./tls.js";

export interface TransportOptions extends Omit<TlsSettings, "extraCaFile"> {
  /** Connections to one origin at most. Default 256. */
  readonly concurrency?: number | undefined;
  /** Milliseconds to connect, TLS handshake included. Default 10,000. */
  readonly connectTimeout?: number | undefined;
  /** Milliseconds without a byte either way while the other side is waited for. Default 60,000. */
  readonly idleTimeout?: number | undefined;
  /** Where HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are read. Default: nowhere. */
  readonly env?: ProxyEnvironment | undefined;
}

export interface Transport {
  readonly handler: HttpHandler;
  /** Closes every connection, used or not. */
  close(): void;
}

/** Makes a transport with a pool of its own; nothing is loaded or opened before the first request. */
export function createTransport(options: TransportOptions = {}): Transport {
  const env = options.env ?? {};
  const settings = {
    caFile: options.caFile,
    insecure: options.insecure,
    extraCaFile: env["NODE_EXTRA_CA_CERTS"],
    concurrency: options.concurrency ?? 256,
    connectTimeout: options.connectTimeout ?? 10_000,
    idleTimeout: options.idleTimeout ?? 60_000,
    env,
  };
  const routes = new Map<string, Promise<Route>>();
  const routeTo = (origin: string): Promise<Route> => {
    let route = routes.get(origin);
    if (route === undefined) {
      route = createRoute(origin, settings);
      routes.set(origin, route);
      route.catch(() => routes.delete(origin));
    }
    return route;
  };
  const overNode: HttpHandler = async (request, handling = {}) =>
    perform(await routeTo(request.origin), request, handling, settings);
  const sockets = createSocketTransport({
    ...settings,
    tlsOptions: () => tlsOptions(settings),
    fallback: overNode,
  });
  const proxied = new Map<string, boolean>();
  const isProxied = (origin: string): boolean => {
    let known = proxied.get(origin);
    if (known === undefined) {
      known = proxyFor(new URL(origin), env) !== undefined;
      proxied.set(origin, known);
    }
    return known;
  };
  return {
    handler: async (request, handling = {}) => {
      handling.signal?.throwIfAborted();
      const send = isProxied(request.origin) ? overNode : sockets.handler;
      return send(request, handling);
    },
    close: () => {
      sockets.close();
      for (const route of routes.values()) {
        route.then(
          (open) => open.close(),
          () => undefined, // Whoever asked for this route has its error.
        );
      }
      routes.clear();
    },
  };
}

/** An error like the system's own, for what only the clock tells. */
function timedOut(what: string): Error {
  return Object.assign(new Error(what), { code: "ETIMEDOUT" });
}

function perform(
  route: Route,
  request: HttpRequest,
  { signal, onSent }: HandlerOptions,
  { connectTimeout, idleTimeout }: { connectTimeout: number; idleTimeout: number },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = route.request({
      ...route.options,
      method: request.method,
      path: route.pathPrefix + (request.query ? `${request.path}?${request.query}` : request.path),
      headers: wireHeaders({ ...request.headers, ...route.headers }),
    });
    let incoming: IncomingMessage | undefined;
    let failure: unknown;
    const sending: Sending = {
      request: outgoing,
      stopped: false,
      waitsForSource: false,
      careful: 0,
      onSent,
    };
    const fail = (reason: unknown) => {
      failure ??= reason;
      reject(reason);
      const error = reason instanceof Error ? reason : new Error("aborted", { cause: reason });
      incoming?.destroy(error);
      outgoing.destroy(error);
    };
    const abort = () => fail(signal!.reason);
    signal?.addEventListener("abort", abort, { once: true });
    limitConnecting(outgoing, connectTimeout);

    outgoing.on("close", () => {
      sending.stopped = true;
      sending.wake?.();
      signal?.removeEventListener("abort", abort);
      // Nothing else ends a request whose socket closed without a word.
      reject(failure ?? Object.assign(new Error("socket closed"), { code: "ECONNRESET" }));
    });
    outgoing.on("error", (error) => {
      failure ??= error;
      reject(failure);
    });
    outgoing.on("timeout", () => {
      const isOurTurn =
        sending.waitsForSource || (incoming !== undefined && incoming.readableLength > 0);
      if (isOurTurn) outgoing.socket?.setTimeout(idleTimeout);
      else fail(timedOut(`nothing came for ${idleTimeout / 1000} s`));
    });
    outgoing.on("response", (message) => {
      incoming = message;
      // A refusal ends the upload; the connection, owing bytes, cannot be used again.
      if ((message.statusCode ?? 0) >= 300 && !outgoing.writableEnded) {
        sending.stopped = true;
        sending.wake?.();
        message.once("end", () => outgoing.destroy());
      }
      resolve(receive(message, request.method));
    });
    sendBody(sending, request.body, "expect" in request.headers).catch(fail);
  });
}

/** Fails a request whose new connection is not up in time; a kept connection is up already. */
function limitConnecting(outgoing: ClientRequest, connectTimeout: number): void {
  outgoing.once("socket", (socket: Socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => outgoing.destroy(Object.assign(timedOut("connecting"), { syscall: "connect" })),
      connectTimeout,
    );
    const stop = () => clearTimeout(timer);
    socket.once("encrypted" in socket ? "secureConnect" : "connect", stop);
    socket.once("close", stop);
  });
}

/** Node writes header values as Latin-1; S3's are UTF-8. */
function wireHeaders(headers: Record<string, string>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name]!;
    if (/[^\0-\x7f]/.test(value)) headers[name] = Buffer.from(value, "utf8").toString("latin1");
  }
  return headers;
}
