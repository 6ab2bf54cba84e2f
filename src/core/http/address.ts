/** The place of a bucket and a key on the wire: path style or virtual-host style. */
import { isIP } from "node:net";

export interface Address {
  readonly origin: string;
  /** Value of the Host header. */
  readonly host: string;
  /** Encoded path of the bucket, or of the service; empty at the root of a host. */
  readonly base: string;
}

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;
const DNS_NAME = /^[a-z0-9](?:[a-z0-9.-]{1,61}[a-z0-9])$/;
const AWS_HOST =
  /^(s3(?:-fips)?(?:\.dualstack)?)(?:[.-]([a-z]{2}(?:-[a-z]+)+-\d+))?\.(amazonaws\.com(?:\.cn)?)$/;

/**
 * The address of a bucket, or of the service itself. With `auto`, virtual hosts are used on amazonaws.com for buckets without a dot (a
 * dotted name would not match the certificate); `off` uses them wherever the name can be a host.
 */
export function addressOf(
  endpoint: URL,
  pathStyle: "auto" | "on" | "off",
  bucket: string | undefined,
): Address {
  const base = endpoint.pathname.replace(/\/+$/, "");
  if (bucket === undefined) return { origin: endpoint.origin, host: endpoint.host, base };
  if (isVirtualHosted(endpoint, pathStyle, bucket)) {
    const host = `${bucket}.${endpoint.host}`;
    return { origin: `${endpoint.protocol}//${host}`, host, base };
  }
  const path = `${base}/${encodeURIComponent(bucket)}`;
  return { origin: endpoint.origin, host: endpoint.host, base: path };
}

function isVirtualHosted(endpoint: URL, pathStyle: "auto" | "on" | "off", bucket: string): boolean {
  if (pathStyle === "on" || isIP(endpoint.hostname.replace(/^\[|\]$/g, "")) !== 0) return false;
  if (pathStyle === "off") return DNS_NAME.test(bucket) && !bucket.includes("..");
  return AWS_HOST.test(endpoint.hostname) && DNS_LABEL.test(bucket);
}

/** The same service in another region; an endpoint that is not Amazon's serves them all itself. */
export function endpointInRegion(endpoint: URL, region: string): URL {
  const match = AWS_HOST.exec(endpoint.hostname);
  if (match === null) return endpoint;
  const moved = new URL(endpoint);
  moved.hostname = `${match[1]}.${region}.${match[3]}`;
  return moved;
}

/**
 * Whether a host named by a redirect belongs to the service of the endpoint: the endpoint's own
 * host, a bucket below it, or for Amazon an S3 host of the same partition.
 */
export function isSameService(endpoint: URL, target: URL): boolean {
  if (target.protocol !== endpoint.protocol || target.port !== endpoint.port) return false;
  const host = target.hostname;
  if (host === endpoint.hostname || host.endsWith(`.${endpoint.hostname}`)) return true;
  const partition = AWS_HOST.exec(endpoint.hostname)?.[3];
  if (partition === undefined) return false;
  const service = /(?:^|\.)(s3[.-](?:[a-z0-9-]+\.)*amazonaws\.com(?:\.cn)?)$/.exec(host)?.[1];
  return service !== undefined && AWS_HOST.exec(service)?.[3] === partition;
}

/** The region an Amazon S3 host names, if it is one and names one. */
export function regionOfHost(host: string): string | undefined {
  const service = /(?:^|\.)(s3[.-](?:[a-z0-9-]+\.)*amazonaws\.com(?:\.cn)?)$/.exec(host)?.[1];
  return service === undefined ? undefined : AWS_HOST.exec(service)?.[2];
}
