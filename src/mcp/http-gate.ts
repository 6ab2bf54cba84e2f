/**
 * The gate of the HTTP server: only programs of this machine that know the token may talk to it.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { invalidArgument } from "../core/failures/errors.js";

/** Why a request is turned away. */
export interface Refusal {
  readonly status: 401 | 403 | 404;
  readonly message: string;
}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Reads `PORT` or `HOST:PORT`; the host is a name of this machine's own. Throws a usage error for
 * any other: without TLS the token would cross the network in the clear.
 */
export function parseHttpAddress(text: string): { host: string; port: number } {
  const match = /^(?:(.+):)?(\d{1,5})$/.exec(text);
  const host = match?.[1]?.toLowerCase() ?? "127.0.0.1";
  const port = Number(match?.[2]);
  if (match === null || port > 65_535 || !LOOPBACK.has(host)) {
    throw invalidArgument(
      `--http ${text} is not an address of this machine`,
      "use --http 127.0.0.1:PORT; for other machines, put a proxy with TLS before it",
    );
  }
  return { host: host.replace(/^\[|\]$/g, ""), port };
}

/**
 * Judges a request by its head. A web page in a browser on this machine can reach the port too,
 * under a name of its own (DNS rebinding) or from an origin of its own; neither has the token, and
 * neither may even try one.
 */
export function judgeRequest(
  path: string,
  { host, origin, authorization }: IncomingHttpHeaders,
  token: string,
): Refusal | undefined {
  if (host === undefined || !LOOPBACK.has(host.toLowerCase().replace(/:\d+$/, ""))) {
    return { status: 403, message: "the Host header does not name this machine" };
  }
  if (origin !== undefined && !isLoopbackOrigin(origin)) {
    return { status: 403, message: "requests from web pages of other origins are refused" };
  }
  const given = /^Bearer +(.+)$/i.exec(authorization ?? "")?.[1] ?? "";
  if (!isEqual(given, token)) return { status: 401, message: "a bearer token is required" };
  if (path.split("?", 1)[0] !== "/mcp") return { status: 404, message: "the endpoint is /mcp" };
  return undefined;
}

function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/(\[[^\]]+\]|[^:/]+)(?::\d+)?$/i.exec(origin);
  return match !== null && LOOPBACK.has(match[1]!.toLowerCase());
}

/** Compares in a time that does not tell where the two differ. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
