/**
 * A client learns from a service that refuses a request for the way it was made: the time, a
 * bucket's region. The request is then signed anew for the right one; a signature never travels
 * to a host it was not made for.
 */
import { type Dialect, vendorHeader } from "../../protocol/dialect.js";
import type { ServiceError } from "../failures/map.js";
import { endpointInRegion, isSameService, regionOfHost } from "./address.js";

/** Beyond fifteen minutes S3 refuses; a HEAD says no reason, so a lesser gap is not suspected. */
const SUSPICIOUS_SKEW = 5 * 60_000;

export interface Knowledge {
  /** The time as the service has it. */
  now(): Date;
  /** The endpoint and region for a bucket, or for the service itself. */
  placeOf(bucket: string | undefined): Destination;
  /** Takes in what a refusal tells; returns what was learnt, if anything. */
  learn(refusal: Refusal): Correction | undefined;
}

export interface Destination {
  readonly endpoint: URL;
  readonly region: string;
  /** A host a redirect named for this bucket, instead of the computed one. */
  readonly host?: string | undefined;
}

/** An answer of 300 and above. */
export interface Refusal {
  readonly method: string;
  readonly bucket: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: ServiceError | undefined;
  /** The time it was signed with. */
  readonly date: Date;
  /** Where the request went. */
  readonly place: Destination;
  readonly url: URL;
}

/** The fault of the request; a second try for the same reason is pointless. */
export type Correction = "clock" | "region" | "host";

/** Makes the memory of one client; `clock` gives this machine's milliseconds since the epoch. */
export function createKnowledge(
  endpoint: URL,
  region: string,
  dialect: Dialect,
  clock: () => number = Date.now,
): Knowledge {
  let offset = 0;
  const places = new Map<string, Destination>();
  const home: Destination = { endpoint, region };

  const correctClock = ({ method, status, headers, error, date }: Refusal): boolean => {
    const server = Date.parse(headers["date"] ?? "");
    if (Number.isNaN(server)) return false;
    // The offset may have been corrected since: what counts is the time the request carried.
    const isSkewed =
      error?.code === "RequestTimeTooSkewed" ||
      (method === "HEAD" && status === 403 && Math.abs(server - date.getTime()) > SUSPICIOUS_SKEW);
    if (isSkewed) offset = server - clock();
    return isSkewed;
  };

  const correctRegion = ({ bucket, status, headers, error, place }: Refusal): boolean => {
    const named =
      headers[vendorHeader(dialect, "bucket-region")] ??
      error?.region ??
      regionOfHost(hostOf(headers["location"]) ?? error?.endpoint ?? "");
    const isAboutRegion =
      status === 301 ||
      status === 307 ||
      status === 400 ||
      (status === 403 && bucket !== undefined);
    if (!isAboutRegion || !named || !/^[A-Za-z0-9-]+$/.test(named) || named === place.region) {
      return false;
    }
    places.set(bucket ?? "", { endpoint: endpointInRegion(endpoint, named), region: named });
    return true;
  };

  const correctHost = ({ bucket, status, headers, place, url }: Refusal): boolean => {
    if (status !== 301 && status !== 307 && status !== 308) return false;
    const target = parseUrl(headers["location"]);
    if (target === undefined || target.host === url.host || !isSameService(endpoint, target)) {
      return false;
    }
    if (target.pathname !== url.pathname) return false;
    places.set(bucket ?? "", { ...place, host: target.host });
    return true;
  };

  return {
    now: () => new Date(clock() + offset),
    placeOf: (bucket) => places.get(bucket ?? "") ?? home,
    learn: (refusal) => {
      if (correctClock(refusal)) return "clock";
      if (correctRegion(refusal)) return "region";
      if (correctHost(refusal)) return "host";
      return undefined;
    },
  };
}

function hostOf(location: string | undefined): string | undefined {
  return parseUrl(location)?.hostname;
}

function parseUrl(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}
