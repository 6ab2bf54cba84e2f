/**
 * The canonical forms Signature V4 signs: of a key, of a query, of header names and values.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */

const UNRESERVED = /^[A-Za-z0-9_.~-]*$/;
const UNRESERVED_OR_SLASH = /^[A-Za-z0-9_.~/-]*$/;

/**
 * Percent-encodes every UTF-8 byte outside RFC 3986's unreserved characters, `/` included.
 * Throws a URIError on a lone surrogate, which has no UTF-8.
 */
export function encodeComponent(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * A key as it stands in a path, on the wire and in the canonical request: `/` kept, segments `.`
 * and `..` kept, everything else as `encodeComponent`.
 */
export function encodeKey(key: string): string {
  if (UNRESERVED_OR_SLASH.test(key)) return key;
  return encodeComponent(key).replaceAll("%2F", "/");
}

/** A query as canonical: encoded, sorted by name, `name=` for an empty value; sent the same way. */
export function canonicalQuery(query: Readonly<Record<string, string | undefined>>): string {
  const pairs: [string, string][] = [];
  for (const name in query) {
    const value = query[name];
    if (value !== undefined) pairs.push([encodeComponent(name), encodeComponent(value)]);
  }
  if (pairs.length > 1) pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  let text = "";
  for (const [name, value] of pairs) text += `${text === "" ? "" : "&"}${name}=${value}`;
  return text;
}

/** The parameters of a query that `canonicalQuery` wrote. */
export function parseCanonicalQuery(query: string): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const pair of query === "" ? [] : query.split("&")) {
    const cut = pair.indexOf("=");
    parameters[decodeURIComponent(pair.slice(0, cut))] = decodeURIComponent(pair.slice(cut + 1));
  }
  return parameters;
}

/**
 * Headers that hops between here and the service may change, which is why no SDK signs them; plus
 * `accept-encoding`, which Google's front end rewrites.
 */
export const UNSIGNED_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "authorization",
  "cache-control",
  "connection",
  "expect",
  "from",
  "keep-alive",
  "max-forwards",
  "pragma",
  "referer",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "x-amzn-trace-id",
]);

/** Whether a header, by its lower-case name, enters the signature. */
export function isSigned(name: string): boolean {
  return !UNSIGNED_HEADERS.has(name) && !name.startsWith("proxy-") && !name.startsWith("sec-");
}

/** A header's value with runs of blanks made one and none at the ends. */
export function canonicalValue(value: string): string {
  return /[\r\n\t]|^ | {2}| $/.test(value)
    ? value
        .replaceAll(/[\r\n]/g, " ")
        .replaceAll(/[ \t]+/g, " ")
        .replaceAll(/^ | $/g, "")
    : value;
}
