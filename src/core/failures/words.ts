/** S3's error codes: which kind of failure each is, and how to say it. */
import type { ErrorKind } from "./errors.js";

/** What a request was about, for messages. */
export interface RequestSubject {
  readonly method: string;
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  /** Scheme, host and port as the alias gives them. */
  readonly endpoint: string;
  /** Name of the alias, for hints that can be run. */
  readonly alias?: string | undefined;
  /** Command that sets the alias anew. */
  readonly setCommand?: string | undefined;
}

/**
 * Codes whose kind the status does not tell. A request that this service can never grant
 * (NotImplemented, MethodNotAllowed) is a usage error: trying again does not help.
 */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  AccessDenied: "denied",
  AccountProblem: "denied",
  AllAccessDisabled: "denied",
  AuthorizationHeaderMalformed: "denied",
  AuthorizationQueryParametersError: "denied",
  ExpiredToken: "denied",
  Forbidden: "denied",
  InvalidAccessKeyId: "denied",
  InvalidSecurity: "denied",
  InvalidToken: "denied",
  NotSignedUp: "denied",
  RequestExpired: "denied",
  RequestTimeTooSkewed: "denied",
  SignatureDoesNotMatch: "denied",
  TokenRefreshRequired: "denied",
  UnauthorizedAccess: "denied",

  NoSuchBucket: "not-found",
  NoSuchBucketPolicy: "not-found",
  NoSuchKey: "not-found",
  NoSuchTagSet: "not-found",
  NoSuchUpload: "not-found",
  NoSuchVersion: "not-found",
  NotFound: "not-found",

  BucketAlreadyExists: "conflict",
  BucketAlreadyOwnedByYou: "conflict",
  BucketNotEmpty: "conflict",
  ConditionalRequestConflict: "conflict",
  InvalidBucketState: "conflict",
  InvalidObjectState: "conflict",
  NotModified: "conflict",
  OperationAborted: "conflict",
  PreconditionFailed: "conflict",

  BadDigest: "unavailable",
  InternalError: "unavailable",
  QuotaExceeded: "unavailable",
  RequestTimeout: "unavailable",
  ServiceUnavailable: "unavailable",
  SlowDown: "unavailable",
  ThrottlingException: "unavailable",
  TooManyRequests: "unavailable",
  XAmzContentSHA256Mismatch: "unavailable",
  XMinioStorageFull: "unavailable",

  MethodNotAllowed: "usage",
  NotImplemented: "usage",
};

/** What services say of a signature that is spelled as another vendor's. */
const WRONG_DIALECT =
  /authorization mechanism .*not supported|unsupported authorization type|incorrect (?:service|terminator)|valid date or x-/i;

/** The kind of a failure from the service's code and words, or else its status. */
export function kindOf(code: string, status: number | undefined, said = ""): ErrorKind {
  const known = WRONG_DIALECT.test(said) ? "denied" : KINDS[code];
  if (known !== undefined) return known;
  if (status === undefined) return "unavailable";
  if (status === 401 || status === 403) return "denied";
  if (status === 404) return "not-found";
  if (status === 409 || status === 412) return "conflict";
  if (status === 429 || (status >= 500 && status !== 501)) return "unavailable";
  return "usage";
}

/** How a person names what the request was about: `photos/a.jpg on local`. */
export function subjectText(about: RequestSubject): string {
  const { alias, bucket, key, endpoint } = about;
  if (bucket === undefined) return alias ?? endpoint;
  const place = key === undefined ? bucket : `${bucket}/${key}`;
  return alias === undefined ? `${place} at ${endpoint}` : `${alias}/${place}`;
}

/** One sentence: what failed, to what, and what the service said. */
export function messageFor(
  code: string,
  said: string,
  status: number,
  about: RequestSubject,
): string {
  const subject = subjectText(about);
  const bucket = subjectText({ ...about, key: undefined });
  switch (code) {
    case "NoSuchBucket":
      return `${bucket}: no such bucket`;
    case "NoSuchKey":
      return `${subject}: no such object`;
    case "NoSuchVersion":
      return `${subject}: no such version`;
    case "NoSuchUpload":
      return `${subject}: no such upload; it was finished or aborted`;
    case "BucketNotEmpty":
      return `${bucket}: the bucket is not empty`;
    case "BucketAlreadyOwnedByYou":
      return `${bucket}: you already have this bucket`;
    case "BucketAlreadyExists":
      return `${bucket}: the name is taken by somebody else's bucket`;
    case "InvalidAccessKeyId":
      return `${subject}: ${about.endpoint} does not know this access key`;
    case "SignatureDoesNotMatch":
      return `${subject}: ${about.endpoint} refused the signature; the secret key is wrong`;
    case "RequestTimeTooSkewed":
      return `${subject}: this machine's clock is too far from ${about.endpoint}'s`;
    case "NotImplemented":
      return `${subject}: ${about.endpoint} does not implement this request`;
    default: {
      const words = said || WORDS[code] || `the service answered ${status}`;
      return `${subject}: ${oneLine(words)}${words.includes(code) ? "" : ` (${code})`}`;
    }
  }
}

const WORDS: Readonly<Record<string, string>> = {
  AccessDenied: "access denied",
  PreconditionFailed: "a condition of the request does not hold",
  NotModified: "not modified",
  InvalidRange: "the range is outside the object",
  SlowDown: "the service asks to slow down",
  ServiceUnavailable: "the service is unavailable",
  InternalError: "the service failed",
  MethodNotAllowed: "not allowed on this",
};

/** Services put anything into a message; a long one is cut. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").replace(/\.$/, "");
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** A command that helps, where there is one. */
export function hintFor(code: string, said: string, about: RequestSubject): string | undefined {
  const alias = about.alias;
  if (WRONG_DIALECT.test(said)) {
    return `pail alias set ${alias ?? "NAME"} ${about.endpoint} --dialect SCHEME,infix,service,terminator`;
  }
  const bucket = alias !== undefined && about.bucket ? `${alias}/${about.bucket}` : undefined;
  switch (code) {
    case "NoSuchBucket":
      return bucket && (storesObject(about) ? `pail mb ${bucket}` : `pail ls ${alias}`);
    case "BucketNotEmpty":
      return bucket && `pail rb --force ${bucket}`;
    case "InvalidAccessKeyId":
    case "SignatureDoesNotMatch":
    case "InvalidToken":
    case "ExpiredToken":
      return about.setCommand;
    case "AuthorizationHeaderMalformed":
      return alias && `pail alias set ${alias} ${about.endpoint} --region REGION`;
    case "RequestTimeTooSkewed":
      return "set this machine's clock";
    case "InvalidBucketName":
      return "a bucket's name has 3 to 63 lower-case letters, digits, dots and hyphens";
    default:
      return undefined;
  }
}

/** Whether the request brings something for which a bucket may as well be made. */
function storesObject({ method, key }: RequestSubject): boolean {
  return method === "PUT" || (method === "POST" && key !== undefined);
}
