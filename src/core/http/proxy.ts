/** Which proxy a request goes through, by the environment's customary variables. */

/** The environment, as far as a proxy is concerned. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an origin, or undefined for none. Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and
 * NO_PROXY, the lower-case spelling first, as curl does. NO_PROXY lists host names (each covers
 * its subdomains), addresses, `host:port`, or `*`. Throws a TypeError when the value is no URL.
 */
export function proxyFor(origin: URL, env: ProxyEnvironment): URL | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  const secure = origin.protocol === "https:";
  const proxy = read(secure ? "HTTPS_PROXY" : "HTTP_PROXY") ?? read("ALL_PROXY");
  if (proxy === undefined || isExempt(origin, read("NO_PROXY") ?? "")) return undefined;
  return new URL(proxy.includes("://") ? proxy : `http://${proxy}`);
}

function isExempt(origin: URL, list: string): boolean {
  const host = bare(origin.hostname);
  const port = origin.port || (origin.protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "") return false;
    if (entry === "*") return true;
    const [, name, onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry)!;
    // An IPv6 address has colons of its own; only brackets tell its port.
    const isAddress = entry.split(":").length > 2 && !entry.startsWith("[");
    const wanted = bare(isAddress ? entry : name!).replace(/^\*?\./, "");
    if (!isAddress && onlyPort !== undefined && onlyPort !== port) return false;
    return wanted !== "" && (host === wanted || host.endsWith(`.${wanted}`));
  });
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
