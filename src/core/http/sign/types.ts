/** The input and the output of a signer. */
import type { Dialect } from "../../../protocol/dialect.js";
import type { Credentials } from "../client.js";

/** A request on its way to be signed, everything but the signature decided. */
export interface Signable {
  readonly method: string;
  /** Encoded as on the wire. */
  readonly path: string;
  /** Canonical: encoded and sorted. */
  readonly query: string;
  /** By lower-case name, `host` included. A signer may add to them instead of to a copy. */
  readonly headers: Record<string, string>;
  /** Lower-case hex SHA-256 of the body, or UNSIGNED_PAYLOAD. */
  readonly payloadHash: string;
}

export interface SigningContext {
  readonly dialect: Dialect;
  readonly region: string;
  readonly credentials: Credentials;
  readonly date: Date;
}

/**
 * Returns the request's headers with the signature's own added: `authorization`, the vendor's
 * `date` and `content-sha256`, and `security-token` with temporary credentials.
 */
export type RequestSigner = (
  request: Signable,
  context: SigningContext,
) => Record<string, string> | Promise<Record<string, string>>;

/** The payload hash of a request whose body is not signed. */
export const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";

/** The longest a presigned URL may live: seven days, in seconds. */
export const MAX_PRESIGN_SECONDS = 604_800;
