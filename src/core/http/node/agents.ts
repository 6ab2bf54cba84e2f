/** Connection pools over node:http and node:https, direct or through a proxy. */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";

import { type ProxyEnvironment, proxyAuthorization, proxyFor } from "../proxy.js";
import { type TlsSettings, tlsOptions } from "../tls.js";

/** How requests of one origin are sent. */
export interface Route {
  readonly request: (options: RequestOptions) => ClientRequest;
  /** The options that every request to the origin has in common. */
  readonly options: RequestOptions;
  /** Stands before the path when a proxy is asked in absolute form. */
  readonly pathPrefix: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The proxy that connections are made to, if any. */
  readonly proxy: URL | undefined;
  readonly close: () => void;
}

export interface RouteSettings extends TlsSettings {
  readonly concurrency: number;
  readonly connectTimeout: number;
  readonly idleTimeout: number;
  readonly env: ProxyEnvironment;
}

// Services close idle connections after some seconds; one closed by them fails the next request.
const FREE_TIMEOUT = 10_000;

/** Makes the route to an origin. Throws an AppError for a bad CA file. */
export async function createRoute(origin: string, settings: RouteSettings): Promise<Route> {
  const url = new URL(origin);
  const proxy = proxyFor(url, settings.env);
  const secure = url.protocol === "https:";
  const http = await import("node:http");
  const pool = {
    keepAlive: true,
    maxSockets: settings.concurrency,
    maxFreeSockets: settings.concurrency,
    timeout: settings.idleTimeout,
    // Node's default of 250 ms for each address gives up on far hosts.
    autoSelectFamilyAttemptTimeout: 2_000,
  };
  if (!secure) {
    const agent = keepFresh(new http.Agent(pool), settings.idleTimeout);
    const authorization = proxy && proxyAuthorization(proxy);
    return {
      request: proxy?.protocol === "https:" ? (await import("node:https")).request : http.request,
      options: { ...target(proxy ?? url), agent },
      pathPrefix: proxy ? url.origin : "",
      proxy,
      headers: authorization === undefined ? {} : { "proxy-authorization": authorization },
      close: () => agent.destroy(),
    };
  }
  const https = await import("node:https");
  const agent = keepFresh(
    new https.Agent({ ...pool, ...(await tlsOptions(settings)) }),
    settings.idleTimeout,
  );
  if (proxy !== undefined) {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, onSocket) => {
      openTunnel(proxy, url, settings).then(
        (socket) => onSocket?.(null, connect({ ...options, socket } as RequestOptions) as Socket),
        (error: Error) => onSocket?.(error, undefined as never),
      );
      return undefined;
    };
  }
  return {
    request: https.request,
    options: { ...target(url), agent },
    pathPrefix: "",
    proxy: undefined, // Its failures are told by the tunnel.
    headers: {},
    close: () => agent.destroy(),
  };
}

function target(url: URL): RequestOptions {
  const secure = url.protocol === "https:";
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
  };
}

/** Lets idle connections go early, and gives them their full timeout back when they are used. */
function keepFresh<A extends Agent>(agent: A, idleTimeout: number): A {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Socket) => boolean;
  const reuse = agent.reuseSocket.bind(agent);
  // The declared result is void; Node reads a boolean.
  agent.keepSocketAlive = (socket: Socket) => {
    const kept = keep(socket);
    if (kept && (socket.timeout ?? 0) > FREE_TIMEOUT) socket.setTimeout(FREE_TIMEOUT);
    return kept;
  };
  agent.reuseSocket = (socket, request) => {
    (socket as Socket).setTimeout(idleTimeout);
    reuse(socket, request);
  };
  return agent;
}

/** A failure of the proxy itself, told with its host and no credentials. */
export function proxyError({ host }: URL, what: string, cause?: unknown): Error {
  return Object.assign(new Error(`the proxy ${host} ${what}`, { cause }), {
    code: "EPROXY",
    // Nothing has reached the service.
    syscall: "connect",
  });
}

/** Asks a proxy for a tunnel to an origin (RFC 9110, 9.3.6). */
async function openTunnel(proxy: URL, origin: URL, settings: RouteSettings): Promise<Socket> {
  const { request } = await import(proxy.protocol === "https:" ? "node:https" : "node:http");
  const { hostname, port } = target(origin);
  const authority = `${hostname!.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  const authorization = proxyAuthorization(proxy);
  return new Promise((resolve, reject) => {
    const connect = (request as Route["request"])({
      ...target(proxy),
      method: "CONNECT",
      path: authority,
      agent: false,
      headers: {
        host: authority,
        ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
      },
      timeout: settings.connectTimeout,
    });
    connect.once("connect", (answer: IncomingMessage, socket: Socket) => {
      if (answer.statusCode! >= 200 && answer.statusCode! < 300) {
        socket.setTimeout(0);
        return resolve(socket);
      }
      socket.destroy();
      reject(proxyError(proxy, `answered ${answer.statusCode}`));
    });
    connect.once("response", (answer: IncomingMessage) => {
      answer.destroy();
      reject(proxyError(proxy, `answered ${answer.statusCode}`));
    });
    connect.once("timeout", () => connect.destroy(proxyError(proxy, "does not answer")));
    connect.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EPROXY" ? error : proxyError(proxy, `fails: ${error.code}`, error));
    });
    connect.end();
  });
}
