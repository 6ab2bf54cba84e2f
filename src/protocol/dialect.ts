/**
 * A vendor's spelling of HMAC-SHA256 request signing in the style of Signature V4.
 *
 * The algorithm is one; vendors differ in four words. `Authorization` reads
 * `<scheme>-HMAC-SHA256 Credential=<key>/<YYYYMMDD>/<region>/<service>/<terminator>, …`,
 * and every vendor header is spelled `x-<infix>-…`.
 */
export interface Dialect {
  /** Scheme name and prefix of the secret in key derivation: `AWS4`. */
  readonly scheme: string;
  /** The word between `x-` and the rest of a vendor header's name: `amz`. */
  readonly infix: string;
  /** Service name in the credential scope: `s3`. */
  readonly service: string;
  /** Last word of the credential scope: `aws4_request`. */
  readonly terminator: string;
}

/** Amazon's own spelling, spoken by nearly every S3-compatible service. */
export const AWS_DIALECT: Dialect = {
  scheme: "AWS4",
  infix: "amz",
  service: "s3",
  terminator: "aws4_request",
};

/** Google Cloud Storage's V4 signing (https://cloud.google.com/storage/docs/authentication/signatures). */
export const GOOGLE_DIALECT: Dialect = {
  scheme: "GOOG4",
  infix: "goog",
  service: "storage",
  terminator: "goog4_request",
};

/** Dialects that can be named by one word instead of four. */
export const DIALECT_PRESETS: Readonly<Record<string, Dialect>> = {
  aws: AWS_DIALECT,
  google: GOOGLE_DIALECT,
};

/** The lower-case name of a vendor header: `vendorHeader(AWS_DIALECT, "date")` is `x-amz-date`. */
export function vendorHeader(dialect: Dialect, name: string): string {
  return `x-${dialect.infix}-${name}`;
}

/** The algorithm identifier that opens `Authorization`: `AWS4-HMAC-SHA256`. */
export function algorithmOf(dialect: Dialect): string {
  return `${dialect.scheme}-HMAC-SHA256`;
}
