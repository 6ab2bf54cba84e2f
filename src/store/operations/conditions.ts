/** Conditional requests (RFC 9110 §13, and S3's conditional writes). */
import type { ObjectRecord, Preconditions } from "../records.js";
import { refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";

export interface ReadConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
}

/** The conditions of a GET or HEAD. */
export function readConditions(request: StoreRequest): ReadConditions {
  return {
    ifMatch: request.header("if-match"),
    ifNoneMatch: request.header("if-none-match"),
    ifModifiedSince: request.header("if-modified-since"),
    ifUnmodifiedSince: request.header("if-unmodified-since"),
  };
}

/** The conditions a copy sets on its source. */
export function copySourceConditions(request: StoreRequest): ReadConditions {
  const header = (name: string) => request.header(request.vendor(`copy-source-${name}`));
  return {
    ifMatch: header("if-match"),
    ifNoneMatch: header("if-none-match"),
    ifModifiedSince: header("if-modified-since"),
    ifUnmodifiedSince: header("if-unmodified-since"),
  };
}

/**
 * Evaluates in the order of RFC 9110 §13.2.2, where an ETag outranks a date. Answers whether the
 * reader has the object already; throws PreconditionFailed.
 */
export function isUnchanged(conditions: ReadConditions, record: ObjectRecord): boolean {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== undefined) {
    if (!matchesETag(ifMatch, record.etag)) throw failed("If-Match");
  } else if (modifiedAfter(record, ifUnmodifiedSince) === true) {
    throw failed("If-Unmodified-Since");
  }
  if (ifNoneMatch !== undefined) return matchesETag(ifNoneMatch, record.etag);
  return modifiedAfter(record, ifModifiedSince) === false;
}

function failed(condition: string): Error {
  return refuse("PreconditionFailed", undefined, { Condition: condition });
}

/** Undefined when there is no date, or none that can be read: such a condition is ignored. */
function modifiedAfter(record: ObjectRecord, date: string | undefined): boolean | undefined {
  const time = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(time)) return undefined;
  // HTTP dates have no fractions of a second.
  return Math.floor(record.lastModified.getTime() / 1000) * 1000 > time;
}

function matchesETag(header: string, etag: string): boolean {
  const tags = parseETags(header);
  return tags.includes("*") || tags.includes(etag);
}

/** `"a", W/"b"` or bare, without the quotes. */
export function parseETags(header: string): string[] {
  return header.split(",").map((tag) => unquote(tag.trim().replace(/^W\//, "")));
}

/** An ETag without its quotes. */
export function unquote(etag: string): string {
  return /^".*"$/.test(etag) ? etag.slice(1, -1) : etag;
}

/** The conditions of a write or delete, for the backend to check at the commit. */
export function writePreconditions(request: StoreRequest): Preconditions | undefined {
  const ifMatch = request.header("if-match");
  const ifNoneMatch = request.header("if-none-match");
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return {
    ifMatch: ifMatch === undefined ? undefined : parseETags(ifMatch),
    ifNoneMatch: ifNoneMatch === undefined ? undefined : parseETags(ifNoneMatch),
  };
}
