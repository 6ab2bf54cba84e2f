/** A request as the operations see it: which bucket, which key, which parameters. */
import { type Dialect, vendorHeader } from "../protocol/dialect.js";
import type { HttpRequest } from "../protocol/message.js";
import { refuse } from "./refuse.js";
import { decodeText } from "./uri.js";
import { headerOf, splitParameter } from "./verify/canonical.js";

export interface StoreRequest {
  readonly raw: HttpRequest;
  readonly method: string;
  /** Undefined for a request to the service itself. */
  readonly bucket: string | undefined;
  /** The bucket, when the host names it. */
  readonly hostBucket: string | undefined;
  /** The exact key; undefined for a request to a bucket. */
  readonly key: string | undefined;
  /** Parameters by name; one without a value has the empty string. */
  readonly query: ReadonlyMap<string, string>;
  /** A header by lower-case name, or the vendor parameter of a presigned URL that stands for it. */
  header(name: string): string | undefined;
  /** The lower-case name of a vendor header: `vendor("acl")` is `x-amz-acl`. */
  vendor(name: string): string;
  /** Every vendor header of that prefix, by what follows it: user metadata. */
  vendorHeaders(prefix: string): [name: string, value: string][];
}

const MAX_KEY_BYTES = 1024;

/** Splits a request by path style or virtual-host style. Throws InvalidURI, KeyTooLongError. */
export function parseRequest(
  raw: HttpRequest,
  dialect: Dialect,
  domains: readonly string[],
): StoreRequest {
  const query = parseQuery(raw.query);
  const host = (headerOf(raw, "host") ?? "").toLowerCase().replace(/:\d+$/, "");
  const hostBucket = bucketOfHost(host, domains);
  const { bucket, key } = splitTarget(raw.path, hostBucket);
  if (key !== undefined && Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw refuse("KeyTooLongError", undefined, {
      Size: String(Buffer.byteLength(key)),
      MaxSizeAllowed: String(MAX_KEY_BYTES),
    });
  }
  const hoisted = hoistedHeaders(query, dialect);
  const prefix = vendorHeader(dialect, "");
  return {
    raw,
    method: raw.method,
    bucket,
    hostBucket,
    key,
    query,
    header: (name) => raw.headers[name] ?? hoisted.get(name),
    vendor: (name) => prefix + name,
    vendorHeaders: (name) =>
      [...hoisted, ...Object.entries(raw.headers)]
        .filter(([header]) => header.startsWith(prefix + name))
        .map(([header, value]) => [header.slice(prefix.length + name.length), value]),
  };
}

function parseQuery(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (query === "") return parameters;
  for (const parameter of query.split("&")) {
    if (parameter === "") continue;
    const [name, value] = splitParameter(parameter.replaceAll("+", "%20"));
    parameters.set(decodeText(name), decodeText(value));
  }
  return parameters;
}

/** The bucket before one of the domains; undefined for path style. */
function bucketOfHost(host: string, domains: readonly string[]): string | undefined {
  if (domains.includes(host)) return undefined;
  const lengths = domains
    .filter((domain) => host.endsWith(`.${domain}`))
    .map(({ length }) => length);
  return lengths.length === 0 ? undefined : host.slice(0, -Math.max(...lengths) - 1);
}

function splitTarget(
  path: string,
  hostBucket: string | undefined,
): { bucket: string | undefined; key: string | undefined } {
  if (!path.startsWith("/")) throw refuse("InvalidURI");
  const rest = path.slice(1);
  if (hostBucket !== undefined) return { bucket: hostBucket, key: keyOf(rest) };
  const slash = rest.indexOf("/");
  const bucket = decodeText(slash < 0 ? rest : rest.slice(0, slash));
  if (bucket === "") {
    if (rest !== "") throw refuse("InvalidBucketName", undefined, { BucketName: "" });
    return { bucket: undefined, key: undefined };
  }
  return { bucket, key: slash < 0 ? undefined : keyOf(rest.slice(slash + 1)) };
}

function keyOf(encoded: string): string | undefined {
  return encoded === "" ? undefined : decodeText(encoded);
}

const SIGNING_PARAMETERS = new Set([
  "algorithm",
  "credential",
  "date",
  "expires",
  "signedheaders",
  "signature",
  "security-token",
  "content-sha256",
]);

/**
 * Vendor headers that a presigned URL carries as parameters. Checksums are left out, as by S3: a
 * signer without a body puts there the checksum of nothing.
 */
function hoistedHeaders(
  query: ReadonlyMap<string, string>,
  dialect: Dialect,
): ReadonlyMap<string, string> {
  const hoisted = new Map<string, string>();
  const prefix = vendorHeader(dialect, "");
  for (const [parameter, value] of query) {
    const name = parameter.toLowerCase();
    if (!name.startsWith(prefix)) continue;
    const short = name.slice(prefix.length);
    const checksum = /^checksum-(?!algorithm$|mode$|type$)|^sdk-checksum/.test(short);
    if (!SIGNING_PARAMETERS.has(short) && !checksum) hoisted.set(name, value);
  }
  return hoisted;
}
