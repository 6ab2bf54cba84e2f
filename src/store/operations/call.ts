/** The input of an operation, and small things every family of operations needs. */
import type { HttpResponse } from "../../protocol/message.js";
import { parseXml, type XmlElement, XmlError } from "../../protocol/xml.js";
import type { BucketRecord, BucketSettings } from "../records.js";
import type { Backend } from "../disk/index.js";
import { openBody } from "../body/body.js";
import { type Code, refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";
import type { Authenticated } from "../verify/verify.js";

export interface Call {
  readonly backend: Backend;
  readonly request: StoreRequest;
  readonly auth: Authenticated;
  /** Undefined for a store that is in any. */
  readonly region: string | undefined;
  /** Buckets that everyone may read whatever they are set to. */
  readonly publicBuckets: ReadonlySet<string>;
}

export type Operation = (call: Call) => Promise<HttpResponse>;

/** The one account: every key reaches every bucket. The form is that of S3's canonical user IDs. */
export const OWNER = {
  ID: "7061696c00000000000000000000000000000000000000000000000000000000",
  DisplayName: "pail",
} as const;

/** The bucket and key of a request routed to an object. */
export function target({ request }: Call): { readonly bucket: string; readonly key: string } {
  const { bucket, key } = request;
  if (bucket === undefined || key === undefined) throw refuse("MethodNotAllowed");
  return { bucket, key };
}

/** The bucket of a request routed to a bucket. */
export function bucketOf({ request }: Call): string {
  if (request.bucket === undefined) throw refuse("MethodNotAllowed");
  return request.bucket;
}

/** The setting of the request's bucket. Throws that code where it was never set. */
export async function settingOf<K extends keyof BucketSettings>(
  call: Call,
  setting: K,
  code: Code,
): Promise<NonNullable<BucketSettings[K]>> {
  const { name, settings } = await call.backend.getBucket(bucketOf(call));
  const value = settings[setting];
  if (value === undefined) throw refuse(code, undefined, { BucketName: name });
  return value;
}

/** The version asked for; undefined for the latest. */
export function versionOf({ request }: Call): string | undefined {
  const versionId = request.query.get("versionId");
  if (versionId === undefined || isVersionId(versionId)) return versionId;
  if (versionId !== "")
    throw invalidArgument("versionId", versionId, "Invalid version id specified");
  throw invalidArgument("versionId", "", "Version id cannot be the empty string");
}

/** Whether this store could have given such an id. */
export function isVersionId(text: string): boolean {
  return text === "null" || /^[\da-f]{32}$/.test(text);
}

/** Throws for parameters that a write of a whole object does not have, and that would mislead. */
export function refuseSelectors({ request }: Call): void {
  for (const name of ["versionId", "partNumber"]) {
    const value = request.query.get(name);
    if (value !== undefined) {
      throw invalidArgument(name, value, `This operation does not accept ${name}.`);
    }
  }
}

/** An InvalidArgument that names the argument, as S3's do. */
export function invalidArgument(name: string, value: string, message: string): Error {
  return refuse("InvalidArgument", message, { ArgumentName: name, ArgumentValue: value });
}

/** A whole number of the query between bounds. Throws InvalidArgument. */
export function intParameter(
  { request }: Call,
  name: string,
  standard: number,
  max = 2_147_483_647,
): number {
  const text = request.query.get(name);
  if (text === undefined || text === "") return standard;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= max) return value;
  throw invalidArgument(name, text, `Argument ${name} must be an integer between 0 and ${max}`);
}

/** S3's documents are small; a DeleteObjects of 1000 long keys is the largest. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
/** Ten thousand parts with all their checksums fit. */
const MAX_ELEMENTS = 120_000;

interface ReadOptions {
  /** The client has to send a checksum or a Content-MD5. */
  readonly mustBeChecked?: boolean | undefined;
}

/** Reads and verifies a body of text; undefined when it is empty. Throws MalformedXML. */
export async function readText(
  { request, auth }: Call,
  options: ReadOptions = {},
): Promise<string | undefined> {
  const body = openBody(request, auth);
  if (options.mustBeChecked === true && !body.checked) {
    throw refuse("InvalidRequest", "Missing required header for this request: Content-MD5");
  }
  if (body.length > MAX_DOCUMENT_BYTES) throw refuse("MaxMessageLengthExceeded");
  const pieces: Buffer[] = [];
  for await (const chunk of body.chunks) pieces.push(Buffer.from(chunk));
  if (pieces.length === 0) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
  } catch (cause) {
    throw Object.assign(refuse("MalformedXML"), { cause });
  }
}

/** Reads and verifies the body; undefined when it is empty. Throws MalformedXML. */
export async function readXml(call: Call, options?: ReadOptions): Promise<XmlElement | undefined> {
  const text = await readText(call, options);
  if (text === undefined) return undefined;
  try {
    return parseXml(text, { size: MAX_DOCUMENT_BYTES, elements: MAX_ELEMENTS });
  } catch (cause) {
    if (cause instanceof XmlError) throw Object.assign(refuse("MalformedXML"), { cause });
    throw cause;
  }
}

/** Like readXml, for operations that need a document of one root element. */
export async function requireXml(
  call: Call,
  root: string,
  options?: ReadOptions,
): Promise<XmlElement> {
  const document = await readXml(call, options);
  if (document?.name !== root) throw refuse("MalformedXML");
  return document;
}

/**
 * The version header of an answer. The `null` version is named only by a read or a delete in a
 * bucket that has, or had, versioning: the answer to its write goes without, as with S3.
 */
export function versionHeader(
  { request }: Call,
  versionId: string | undefined,
  versioning?: BucketRecord["versioning"],
): Record<string, string> {
  if (versionId === undefined) return {};
  if (versionId === "null" && versioning === undefined) return {};
  return { [request.vendor("version-id")]: versionId };
}

/** Where a listing goes on: opaque to clients; the letter leaves room for another form. */
export function formatToken(after: string): string {
  return Buffer.from(`k${after}`, "utf8").toString("base64url");
}

/** The inverse of formatToken. Throws InvalidArgument for what it did not make. */
export function parseToken(token: string): string {
  const text = Buffer.from(token, "base64url").toString("utf8");
  if (text.startsWith("k") && formatToken(text.slice(1)) === token) return text.slice(1);
  throw invalidArgument(
    "continuation-token",
    token,
    "The continuation token provided is incorrect",
  );
}

/** An ETag as headers and documents show it. */
export function quoted(etag: string): string {
  return `"${etag}"`;
}
