/**
 * Sends HTTP/1.1 requests: a pool of kept connections, timeouts, TLS, proxies. The path goes out as
 * it is given; redirects are answers like any other. Plain requests to an origin that is reached
 * directly go straight over sockets (socket/), everything else over node:http.
 */
import type { HttpHandler } from "../../protocol/message.js";
import { createNodeTransport } from "./node/transport.js";
import { type ProxyEnvironment, proxyFor } from "./proxy.js";
import { createSocketTransport } from "./socket/transport.js";
import { type TlsSettings, speaksTls, tlsOptions } from "./tls.js";

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
  /** Whether TLS answers at an origin that was taken for plain HTTP. */
  readonly speaksTls: (origin: string) => Promise<boolean>;
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
  const overNode = createNodeTransport(settings);
  const sockets = createSocketTransport({
    ...settings,
    tlsOptions: () => tlsOptions(settings),
    fallback: overNode.handler,
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
      const send = isProxied(request.origin) ? overNode.handler : sockets.handler;
      return send(request, handling);
    },
    speaksTls: async (origin) =>
      !isProxied(origin) && (await speaksTls(origin, settings.connectTimeout)),
    close: () => {
      sockets.close();
      overNode.close();
    },
  };
}
