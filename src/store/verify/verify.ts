/**
 * Verification of signed requests, written from the specification of Signature V4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html), for any
 * dialect.
 */
import { createHash, timingSafeEqual } from "node:crypto";

import { algorithmOf, AWS_DIALECT, type Dialect, vendorHeader } from "../../protocol/dialect.js";
import type { HttpRequest } from "../../protocol/message.js";
import { refuse } from "../refuse.js";
import { type Claim, claimOf, unsignedPayload } from "./claim.js";
import { canonicalRequest, headerOf } from "./canonical.js";
import { createSigningKeys, hmac } from "./scope.js";
import { sign2, type Version2Claim, version2Claim } from "./version2.js";

export interface VerifierOptions {
  readonly dialect: Dialect;
  /** Undefined accepts any. */
  readonly region: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** An access key; undefined when there is no such key. */
  readonly keyOf: (accessKeyId: string) => Promise<KnownKey | undefined>;
}

/** The limits of a key; an absent one does not limit it. */
export interface Grant {
  readonly readOnly?: boolean | undefined;
  /** The only buckets it reaches. */
  readonly buckets?: readonly string[] | undefined;
}

export interface KnownKey extends Grant {
  readonly secretAccessKey: string;
}

/** The values that sign a verified request's chunks, continuing from its own signature. */
export interface ChunkSigning {
  readonly key: Buffer;
  readonly algorithm: string;
  readonly timestamp: string;
  readonly scope: string;
  /** Hex signature of the request's head, the first link of the chain. */
  readonly seed: string;
}

export interface Authenticated {
  /** Undefined when the request is not signed: then it may do what everyone may. */
  readonly accessKeyId: string | undefined;
  readonly grant: Grant;
  /** `UNSIGNED-PAYLOAD`, `STREAMING-…`, or the hex SHA-256 of the body. */
  readonly payloadHash: string;
  /** Only where the body may come in signed chunks. */
  readonly chunkSigning?: ChunkSigning | undefined;
}

/** `hostBucket` is the bucket of a virtual host. */
export type Verifier = (request: HttpRequest, hostBucket?: string) => Promise<Authenticated>;

const UNSIGNED = "UNSIGNED-PAYLOAD";

/**
 * Makes the verifier of a store. It throws a StoreError for a signature that is not good; for a
 * request without one it answers that nobody signed.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { dialect, now } = options;
  const algorithm = algorithmOf(dialect);
  const signingKey = createSigningKeys(dialect);

  return async (request, hostBucket) => {
    const version2 =
      dialect.scheme === AWS_DIALECT.scheme ? version2Claim(request, hostBucket, now()) : undefined;
    if (version2 !== undefined) return verify2(version2, options);
    const claim = claimOf(request, options);
    if (claim === undefined) {
      const payloadHash = unsignedPayload(request, options);
      return { accessKeyId: undefined, grant: {}, payloadHash };
    }
    checkSignedHeaders(request, claim, dialect);
    const key = await knownKey(claim.scope.accessKeyId, options);
    if (claim.token !== undefined) throw refuse("InvalidToken");

    const canonical = canonicalRequest({ request, ...claim });
    const stringToSign = [algorithm, claim.timestamp, claim.scope.text, sha256(canonical)].join(
      "\n",
    );
    const signing = signingKey(claim.scope, key.secretAccessKey);
    if (!equalHex(hmac(signing, stringToSign), claim.signature)) {
      throw refuse("SignatureDoesNotMatch", undefined, {
        AWSAccessKeyId: claim.scope.accessKeyId,
        StringToSign: stringToSign,
        SignatureProvided: claim.signature,
        CanonicalRequest: canonical,
      });
    }
    return {
      accessKeyId: claim.scope.accessKeyId,
      grant: key,
      payloadHash: claim.payloadHash,
      chunkSigning: {
        key: signing,
        algorithm,
        timestamp: claim.timestamp,
        scope: claim.scope.text,
        seed: claim.signature,
      },
    };
  };
}

/** The key of an id. Throws InvalidAccessKeyId. */
export async function knownKey(
  accessKeyId: string,
  { keyOf }: Pick<VerifierOptions, "keyOf">,
): Promise<KnownKey> {
  const key = await keyOf(accessKeyId);
  if (key !== undefined) return key;
  throw refuse("InvalidAccessKeyId", undefined, { AWSAccessKeyId: accessKeyId });
}

async function verify2(claim: Version2Claim, options: VerifierOptions): Promise<Authenticated> {
  const { accessKeyId, signature, stringToSign } = claim;
  const key = await knownKey(accessKeyId, options);
  if (!equalBytes(sign2(key.secretAccessKey, stringToSign), Buffer.from(signature, "base64"))) {
    throw refuse("SignatureDoesNotMatch", undefined, {
      AWSAccessKeyId: accessKeyId,
      StringToSign: stringToSign,
      SignatureProvided: signature,
    });
  }
  return { accessKeyId, grant: key, payloadHash: UNSIGNED };
}

/** Hex SHA-256 of a text's UTF-8. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** Compares a signature with its hex form without telling by the time where they differ. */
export function equalHex(expected: Uint8Array, given: string): boolean {
  return /^[\da-f]{64}$/.test(given) && equalBytes(expected, Buffer.from(given, "hex"));
}

/** Compares without telling by the time where they differ. */
export function equalBytes(expected: Uint8Array, given: Uint8Array): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Anybody on the way could have added a header that is not signed. */
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
