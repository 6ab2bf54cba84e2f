/**
 * Verification of signed requests, written from the specification of Signature V4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html), for any
 * dialect.
 */
import { createHash, timingSafeEqual } from "node:crypto";

import { algorithmOf, type Dialect, vendorHeader } from "../../protocol/dialect.js";
import type { HttpRequest } from "../../protocol/message.js";
import { refuse } from "../refuse.js";
import { type Claim, claimOf } from "./claim.js";
import { canonicalRequest, headerOf } from "./canonical.js";
import { createSigningKeys, hmac } from "./scope.js";

export interface VerifierOptions {
  readonly dialect: Dialect;
  readonly region: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The secret of an access key; undefined when there is no such key. */
  readonly secretOf: (accessKeyId: string) => Promise<string | undefined>;
}

/** What a verified request's chunks are signed with, continuing from its own signature. */
export interface ChunkSigning {
  readonly key: Buffer;
  readonly algorithm: string;
  readonly timestamp: string;
  readonly scope: string;
  /** Hex signature of the request's head, the first link of the chain. */
  readonly seed: string;
}

export interface Authenticated {
  readonly accessKeyId: string;
  /** `UNSIGNED-PAYLOAD`, `STREAMING-…`, or the hex SHA-256 of the body. */
  readonly payloadHash: string;
  readonly presigned: boolean;
  readonly chunkSigning: ChunkSigning;
}

export type Verifier = (request: HttpRequest) => Promise<Authenticated>;

/** Makes the verifier of a store. It throws a StoreError for anything but a good signature. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { dialect, secretOf } = options;
  const algorithm = algorithmOf(dialect);
  const signingKey = createSigningKeys(dialect);

  return async (request) => {
    const claim = claimOf(request, options);
    checkSignedHeaders(request, claim, dialect);
    const secret = await secretOf(claim.scope.accessKeyId);
    if (secret === undefined) {
      throw refuse("InvalidAccessKeyId", undefined, { AWSAccessKeyId: claim.scope.accessKeyId });
    }
    if (claim.token !== undefined) throw refuse("InvalidToken");

    const canonical = canonicalRequest({ request, ...claim });
    const stringToSign = [algorithm, claim.timestamp, claim.scope.text, sha256(canonical)].join(
      "\n",
    );
    const key = signingKey(claim.scope, secret);
    if (!equalHex(hmac(key, stringToSign), claim.signature)) {
      throw refuse("SignatureDoesNotMatch", undefined, {
        AWSAccessKeyId: claim.scope.accessKeyId,
        StringToSign: stringToSign,
        SignatureProvided: claim.signature,
        CanonicalRequest: canonical,
      });
    }
    return {
      accessKeyId: claim.scope.accessKeyId,
      payloadHash: claim.payloadHash,
      presigned: claim.presigned,
      chunkSigning: {
        key,
        algorithm,
        timestamp: claim.timestamp,
        scope: claim.scope.text,
        seed: claim.signature,
      },
    };
  };
}

/** Hex SHA-256 of a text's UTF-8. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** Compares a signature with its hex form without telling by the time where they differ. */
export function equalHex(expected: Uint8Array, given: string): boolean {
  const bytes = /^[\da-f]{64}$/.test(given) ? Buffer.from(given, "hex") : undefined;
  return bytes !== undefined && timingSafeEqual(expected, bytes);
}

/** What is not signed could have been added by anybody on the way. */
function checkSignedHeaders(request: HttpRequest, claim: Claim, dialect: Dialect): void {
  const signed = new Set(claim.signedHeaders);
  if (!signed.has("host")) {
    throw refuse("AccessDenied", "The host header must be signed.", { HeadersNotSigned: "host" });
  }
  const missing = claim.signedHeaders.filter((name) => headerOf(request, name) === undefined);
  if (missing.length > 0) {
    throw refuse("SignatureDoesNotMatch", `Signed headers are missing: ${missing.join(", ")}.`);
  }
  const vendor = vendorHeader(dialect, "");
  const unsigned = Object.keys(request.headers).filter(
    (name) => name.startsWith(vendor) && !signed.has(name),
  );
  if (unsigned.length > 0) {
    throw refuse(
      "AccessDenied",
      "There were headers present in the request which were not signed.",
      {
        HeadersNotSigned: unsigned.join(", "),
      },
    );
  }
}
