/**
 * Requests over node:http and node:https: through proxies, with bodies of unknown length or that
 * wait for the server's word, and with answers that only a lenient parser takes.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import type {
  HandlerOptions,
  HttpHandler,
  HttpRequest,
  HttpResponse,
} from "../../../protocol/message.js";
import { type Route, type RouteSettings, createRoute, proxyError } from "./agents.js";
import { toWire } from "./header-text.js";
import { receive } from "./receive.js";
import { type Sending, sendBody } from "./send.js";

/** Makes a transport with a pool of its own; nothing is loaded or opened before the first request. */
export function createNodeTransport(settings: RouteSettings): {
  readonly handler: HttpHandler;
  close(): void;
} {
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
  return {
    handler: async (request, handling = {}) => {
      handling.signal?.throwIfAborted();
      return perform(await routeTo(request.origin), request, handling, settings);
    },
    close: () => {
      for (const route of routes.values()) {
        route.then(
          (open) => open.close(),
          () => undefined, // The request that asked for this route has its error.
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
  { connectTimeout, idleTimeout }: RouteSettings,
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
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isProxys = route.proxy !== undefined && error.syscall === "connect";
      failure ??= isProxys ? proxyError(route.proxy, `fails: ${error.code}`, error) : error;
      reject(failure);
    });
    outgoing.on("timeout", () => {
      const seen = outgoing.socket?.bytesRead;
      // A busy or suspended process sees its timers before what came in the meantime.
      setImmediate(() => {
        const isOurTurn =
          sending.waitsForSource ||
          (incoming !== undefined && incoming.readableLength > 0) ||
          outgoing.socket?.bytesRead !== seen;
        if (isOurTurn) outgoing.socket?.setTimeout(idleTimeout);
        else fail(timedOut(`nothing came for ${idleTimeout / 1000} s`));
      });
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

function wireHeaders(headers: Record<string, string>): Record<string, string> {
  for (const name in headers) headers[name] = toWire(headers[name]!);
  return headers;
}
