/**
 * The facts of a failure by its code: S3's (`NoSuchBucket`), Node's (`ECONNRESET`), OpenSSL's
 * (`CERT_HAS_EXPIRED`) or pail's own. Every question about a code is answered here: its kind,
 * whether a repeat may help, whether the service asks for less, whether it ends the whole run, and
 * the words and the hint for a person.
 */
import type { ErrorKind } from "./errors.js";

/**
 * `never`: a repeat fails in the same way. `idempotent`: a repeat may help, but the service may
 * have done what was asked. `unprocessed`: it surely has done nothing, so any request may be
 * repeated.
 */
export type Retry = "never" | "idempotent" | "unprocessed";

export interface Facts {
  readonly kind: ErrorKind;
  readonly retry: Retry;
  /** The service asks for less; pressing on makes it worse. */
  readonly throttled: boolean;
  /** Every other item of the same run would fail in the same way. */
  readonly endsRun: boolean;
  /** Said instead of the service's words. `{endpoint}` stands for the address. */
  readonly words?: string | undefined;
  /** Said when the service has no words of its own. */
  readonly silent?: string | undefined;
  /** The words are about the bucket, not about the key. */
  readonly aboutBucket?: true | undefined;
  /** The hint; `{alias}`, `{bucket}`, `{endpoint}` and `{set}` are filled in, or there is no hint. */
  readonly hint?: string | undefined;
  /** Where the code comes from. */
  readonly origin: "service" | "network" | "tls" | "file";
}

type Row = { readonly kind: ErrorKind } & Partial<Facts>;

const DENIED: Row = { kind: "denied" };
const KEYS: Row = { kind: "denied", endsRun: true, hint: "{set}" };
const MISSING: Row = { kind: "not-found" };
const CONFLICT: Row = { kind: "conflict" };
const BUCKET: Row = { ...CONFLICT, aboutBucket: true };
const BUSY: Row = { kind: "unavailable", retry: "unprocessed", throttled: true };
const PASSING: Row = { kind: "unavailable", retry: "idempotent" };
const LASTING: Row = { kind: "unavailable" };

const SERVICE: Readonly<Record<string, Row>> = {
  ...all(DENIED, "AccountProblem AllAccessDisabled AuthorizationQueryParametersError Forbidden"),
  ...all(DENIED, "InvalidSecurity NotSignedUp RequestExpired UnauthorizedAccess"),
  AccessDenied: { ...DENIED, silent: "access denied" },
  AuthorizationHeaderMalformed: {
    ...KEYS,
    hint: "pail alias set {alias} {endpoint} --region REGION",
  },
  ExpiredToken: KEYS,
  InvalidAccessKeyId: { ...KEYS, words: "{endpoint} does not know this access key" },
  InvalidToken: KEYS,
  RequestTimeTooSkewed: {
    ...KEYS,
    words: "this machine's clock is too far from {endpoint}'s",
    hint: "set this machine's clock",
  },
  SignatureDoesNotMatch: {
    ...KEYS,
    words: "{endpoint} refused the signature; the secret key is wrong",
  },
  TokenRefreshRequired: KEYS,

  ...all(MISSING, "NoSuchBucketPolicy NoSuchTagSet NotFound"),
  NoSuchBucket: {
    ...MISSING,
    endsRun: true,
    words: "no such bucket",
    aboutBucket: true,
    hint: "pail ls {alias}",
  },
  NoSuchKey: { ...MISSING, words: "no such object" },
  NoSuchUpload: { ...MISSING, words: "no such upload; it was finished or aborted" },
  NoSuchVersion: { ...MISSING, words: "no such version" },

  ...all(CONFLICT, "Conflict InvalidBucketState"),
  // Another request for the name was under way, and this one was not carried out.
  ConditionalRequestConflict: { ...CONFLICT, retry: "unprocessed" },
  ...all(
    {
      ...CONFLICT,
      words: "it is archived, and cannot be read before it is restored",
      hint: "pail restore {object}",
    },
    "InvalidObjectState ObjectNotInActiveTierError",
  ),
  RestoreAlreadyInProgress: { ...CONFLICT, words: "it is being restored already" },
  BucketAlreadyExists: { ...BUCKET, words: "the name is taken by somebody else's bucket" },
  BucketAlreadyOwnedByYou: { ...BUCKET, words: "you already have this bucket" },
  BucketNotEmpty: { ...BUCKET, words: "the bucket is not empty", hint: "pail rb --force {bucket}" },
  NotModified: { ...CONFLICT, silent: "not modified" },
  OperationAborted: { ...CONFLICT, retry: "idempotent" },
  PreconditionFailed: { ...CONFLICT, silent: "a condition of the request does not hold" },

  ...all(BUSY, "BandwidthLimitExceeded EC2ThrottledException PriorRequestNotComplete"),
  ...all(BUSY, "RequestLimitExceeded RequestThrottled RequestThrottledException"),
  ...all(BUSY, "ThrottledException Throttling ThrottlingException"),
  ...all(BUSY, "TooManyRequests TooManyRequestsException"),
  SlowDown: { ...BUSY, silent: "the service asks to slow down" },
  ServiceUnavailable: { ...PASSING, throttled: true, silent: "the service is unavailable" },
  InternalError: { ...PASSING, silent: "the service failed" },
  RequestTimeout: PASSING,
  // The bytes are not those that were stored or sent: the way may have changed them this once.
  ...all(PASSING, "BadDigest ChecksumMismatch IncompleteBody InvalidResponse NotS3Answer"),
  XAmzContentSHA256Mismatch: PASSING,
  ...all(LASTING, "InsufficientStorage QuotaExceeded XMinioStorageFull"),

  InvalidBucketName: {
    kind: "usage",
    silent: "the service takes no bucket of this name",
    hint: "a bucket's name has 3 to 63 lower-case letters, digits, dots and hyphens",
  },
  InvalidRange: { kind: "usage", silent: "the range is outside the object" },
  MethodNotAllowed: { kind: "usage", silent: "not allowed on this" },
  NotImplemented: { kind: "usage", silent: "the service does not implement this request" },
  ...all({ kind: "usage", endsRun: true }, "Redirected WrongScheme"),
};

const UNREACHED: Row = { kind: "unavailable", retry: "unprocessed" };
const LOOK = "is the endpoint right? see: pail alias list";

/** `unprocessed`: the connection was never made, so the service has seen nothing. */
const NETWORK: Readonly<Record<string, Row>> = {
  EADDRNOTAVAIL: { ...UNREACHED, words: "no local address is free" },
  EAI_AGAIN: { ...UNREACHED, words: "the name server does not answer" },
  ECONNREFUSED: { ...UNREACHED, endsRun: true, words: "nothing listens there", hint: LOOK },
  ENOTFOUND: { ...LASTING, endsRun: true, words: "the host name is not known", hint: LOOK },
  ENETDOWN: { ...UNREACHED, words: "the network is down" },
  ENETUNREACH: { ...UNREACHED, words: "the network cannot be reached" },
  ...all({ ...UNREACHED, words: "the host cannot be reached" }, "EHOSTDOWN EHOSTUNREACH"),
  ...all({ ...PASSING, words: "the connection broke" }, "ECONNABORTED ECONNRESET EPIPE"),
  ...all(
    { ...PASSING, words: "the answer broke off" },
    "HPE_INVALID_CHUNK_SIZE HPE_INVALID_EOF_STATE",
  ),
  // Of keys and a region, which go into a header.
  ERR_INVALID_CHAR: {
    kind: "usage",
    endsRun: true,
    words: "its keys or its region have a character that no HTTP header can carry",
    hint: "correct them: pail alias list",
  },
  ETIMEDOUT: { ...PASSING, words: "the connection timed out" },
};

const UNKNOWN_CA: Row = {
  kind: "denied",
  words: "its certificate is signed by an authority this machine does not know",
  hint: "pass the authority's certificate with --ca-file FILE, or --insecure to accept any",
};
const BAD_CERTIFICATE: Row = {
  kind: "denied",
  hint: "--insecure accepts any certificate; anybody between can then read and change everything",
};

const TLS: Readonly<Record<string, Row>> = {
  ...all(UNKNOWN_CA, "UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY"),
  ...all(UNKNOWN_CA, "UNABLE_TO_VERIFY_LEAF_SIGNATURE SELF_SIGNED_CERT_IN_CHAIN"),
  DEPTH_ZERO_SELF_SIGNED_CERT: { ...UNKNOWN_CA, words: "its certificate is self-signed" },
  ...all(
    { ...UNKNOWN_CA, words: "its certificate is not trusted" },
    "CERT_UNTRUSTED CERT_REJECTED",
  ),
  CERT_HAS_EXPIRED: { ...BAD_CERTIFICATE, words: "its certificate has expired" },
  CERT_NOT_YET_VALID: { ...BAD_CERTIFICATE, words: "its certificate is not valid yet" },
  CERT_REVOKED: { ...BAD_CERTIFICATE, words: "its certificate was revoked" },
  ...all(
    { ...BAD_CERTIFICATE, words: "its certificate is for another host" },
    "ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH",
  ),
};

const FILES: Readonly<Record<string, Row>> = {
  ENOENT: { kind: "not-found", words: "no such file or directory" },
  EACCES: { kind: "denied", words: "permission denied" },
  EPERM: { kind: "denied", words: "operation not permitted" },
  EROFS: { kind: "denied", words: "the file system is read-only" },
  EBADF: { kind: "usage", words: "is not open" },
  EISDIR: { kind: "usage", words: "is a directory" },
  ENOTDIR: { kind: "conflict", words: "a part of the path is a file, not a directory" },
  EEXIST: { kind: "conflict", words: "exists already" },
  ENOTEMPTY: { kind: "conflict", words: "the directory is not empty" },
  EINVAL: { kind: "usage", words: "not a legal name here" },
  EXDEV: { kind: "usage", words: "is on another file system" },
  ELOOP: { kind: "usage", words: "too many symbolic links" },
  ENAMETOOLONG: { kind: "usage", words: "the name is too long for this file system" },
  EFBIG: { kind: "unavailable", words: "the file is too large for this file system" },
  ENOSPC: { kind: "unavailable", endsRun: true, words: "no space left on the disk" },
  EDQUOT: { kind: "unavailable", endsRun: true, words: "the disk quota is used up" },
  EMFILE: { kind: "unavailable", words: "too many open files", hint: "ulimit -n 4096" },
  ENFILE: { kind: "unavailable", words: "too many open files on this machine" },
  EIO: { kind: "unavailable", words: "the disk failed" },
  EBUSY: { kind: "unavailable", words: "is in use" },
  EADDRINUSE: { kind: "conflict", words: "the address is in use" },
  KeysCorrupt: {
    kind: "usage",
    words: "cannot be used as the store's access keys",
    hint: "correct it, or move it away: a new key is then made on first use",
  },
};

const TABLE: ReadonlyMap<string, Facts> = new Map([
  ...rows(SERVICE, "service"),
  ...rows(NETWORK, "network"),
  ...rows(TLS, "tls"),
  ...rows(FILES, "file"),
]);

/** The facts of a code; undefined for a code that is not in the table. */
export function factsOf(code: string): Facts | undefined {
  return TABLE.get(code);
}

/** The code S3 would have given with a status, for an answer without one or with a strange one. */
export function codeOfStatus(
  status: number,
  about?: { readonly bucket?: string | undefined; readonly key?: string | undefined },
): string {
  if (status === 404 && about?.key !== undefined) return "NoSuchKey";
  if (status === 404 && about?.bucket !== undefined) return "NoSuchBucket";
  // The answer to a HEAD has no words.
  if (status === 400 && !BUCKET_NAME.test(about?.bucket ?? "any")) return "InvalidBucketName";
  return STATUSES[status] ?? (status >= 500 ? "InternalError" : `Http${status}`);
}

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const STATUSES: Readonly<Record<number, string>> = {
  304: "NotModified",
  400: "BadRequest",
  401: "AccessDenied",
  403: "AccessDenied",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  412: "PreconditionFailed",
  416: "InvalidRange",
  429: "SlowDown",
  501: "NotImplemented",
  503: "ServiceUnavailable",
  507: "InsufficientStorage",
};

const ORDER: readonly Retry[] = ["never", "idempotent", "unprocessed"];

/** The facts of an answer: its code's, and those of its status where the code says less. */
export function factsOfAnswer(code: string, status: number | undefined): Facts {
  const known = TABLE.get(code);
  const byStatus = status === undefined ? undefined : TABLE.get(codeOfStatus(status));
  const facts =
    known ?? byStatus ?? facted({ kind: status === undefined ? "unavailable" : "usage" });
  if (byStatus === undefined || known === byStatus) return facts;
  return {
    ...(known ?? { origin: "service", endsRun: false }),
    kind: facts.kind,
    throttled: facts.throttled || byStatus.throttled,
    retry:
      ORDER.indexOf(facts.retry) < ORDER.indexOf(byStatus.retry) ? byStatus.retry : facts.retry,
  };
}

function rows(table: Readonly<Record<string, Row>>, origin: Facts["origin"]) {
  return Object.entries(table).map(([code, row]) => [code, facted(row, origin)] as const);
}

function facted(row: Row, origin: Facts["origin"] = "service"): Facts {
  return { retry: "never", throttled: false, endsRun: false, origin, ...row };
}

/** The same row for several codes. */
function all(row: Row, codes: string): Record<string, Row> {
  return Object.fromEntries(codes.split(" ").map((code) => [code, row]));
}
