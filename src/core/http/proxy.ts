/** The proxy that a request goes through, by the environment's customary variables. */
import { BlockList, isIP } from "node:net";

import { usageError } from "../failures/errors.js";

/** The environment, as far as a proxy is concerned. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an origin, or undefined for none. Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and
 * NO_PROXY, the lower-case spelling first, as curl does. NO_PROXY lists host names (each covers
 * its subdomains), addresses, ranges of them (`10.0.0.0/8`), `host:port`, or `*`. Throws an AppError (usage, BadProxy) that names
 * the variable, not its value, which may hold a password.
 */
export function proxyFor(origin: URL, env: ProxyEnvironment): URL | undefined {
  const names = [origin.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"];
  const name = names.flatMap((upper) => [upper.toLowerCase(), upper]).find((each) => env[each]);
  const exempt = env["no_proxy"] || env["NO_PROXY"] || "";
  if (name === undefined || isExempt(origin, exempt)) return undefined;
  const value = env[name]!;
  const text = value.includes("://") ? value : `http://${value}`;
  if (/^https?:/i.test(text) && URL.canParse(text)) return new URL(text);
  throw usageError(
    "BadProxy",
    /^socks/i.test(text)
      ? `${name} names a SOCKS proxy, and pail speaks only to HTTP proxies`
      : `${name} is not the URL of an HTTP proxy`,
    `unset ${name}, or go without it for this host: export NO_PROXY=${origin.host}`,
  );
}

function isExempt(origin: URL, list: string): boolean {
  const host = bare(origin.hostname);
  const port = origin.port || (origin.protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "") return false;
    if (entry === "*") return true;
    if (entry.includes("/")) return isWithin(host, entry);
    const [, name, onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry)!;
    // An IPv6 address has colons of its own; only brackets tell its port.
    const isAddress = entry.split(":").length > 2 && !entry.startsWith("[");
    const wanted = bare(isAddress ? entry : name!).replace(/^\*?\./, "");
    if (!isAddress && onlyPort !== undefined && onlyPort !== port) return false;
    return wanted !== "" && (host === wanted || host.endsWith(`.${wanted}`));
  });
}

/** Whether a host is an address of a range in CIDR notation (RFC 4632). */
function isWithin(host: string, range: string): boolean {
  const [network, bits] = range.split("/") as [string, string];
  const family = isIP(bare(network));
  const prefix = Number(bits);
  const isRange = /^\d+$/.test(bits) && prefix <= (family === 4 ? 32 : 128);
  if (family === 0 || isIP(host) !== family || !isRange) return false;
  const name = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(bare(network), prefix, name);
  return list.check(host, name);
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, "");
}

/** The Proxy-Authorization header for credentials in a proxy's URL. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === "" && proxy.password === "") return undefined;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
