/**
 * Signing in any dialect on the SDK's own Signature V4: for presigned URLs and for the requests of
 * the SDK's client. The base class canonicalises; the four words of the dialect are put in here.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
import { Sha256 } from "@aws-crypto/sha256-js";
import {
  type SignatureV4,
  SignatureV4Base,
  getCanonicalHeaders,
  getCanonicalQuery,
} from "@smithy/signature-v4";

import { algorithmOf, vendorHeader } from "../../../protocol/dialect.js";
import { UNSIGNED_HEADERS, parseCanonicalQuery } from "./canonical.js";
import { type Signable, type SigningContext, UNSIGNED_PAYLOAD } from "./types.js";

type SmithyRequest = Parameters<SignatureV4["presign"]>[0];

class DialectSigner extends SignatureV4Base {
  constructor(private readonly context: SigningContext) {
    super({
      credentials: context.credentials,
      region: context.region,
      service: context.dialect.service,
      sha256: Sha256,
      // S3 signs the path as it is on the wire.
      uriEscapePath: false,
    });
  }

  async headers(request: Signable): Promise<Record<string, string>> {
    const { dialect, credentials, date } = this.context;
    const { longDate, shortDate } = this.formatDate(date);
    const headers: Record<string, string> = {
      ...request.headers,
      [vendorHeader(dialect, "date")]: longDate,
      [vendorHeader(dialect, "content-sha256")]: request.payloadHash,
    };
    if (credentials.sessionToken !== undefined) {
      headers[vendorHeader(dialect, "security-token")] = credentials.sessionToken;
    }
    const smithy = toSmithy(request, headers, parseCanonicalQuery(request.query));
    const canonical = getCanonicalHeaders(smithy, new Set(UNSIGNED_HEADERS));
    const signature = await this.signature(
      longDate,
      this.createCanonicalRequest(smithy, canonical, request.payloadHash),
    );
    headers["authorization"] =
      `${algorithmOf(dialect)} Credential=${credentials.accessKeyId}/${this.scope(shortDate)}, ` +
      `SignedHeaders=${this.getCanonicalHeaderList(canonical)}, Signature=${signature}`;
    return headers;
  }

  async query(request: Signable, expiresIn: number): Promise<string> {
    const { dialect, credentials, date } = this.context;
    const { longDate, shortDate } = this.formatDate(date);
    const smithy = toSmithy(request, { ...request.headers }, parseCanonicalQuery(request.query));
    const canonical = getCanonicalHeaders(smithy, new Set(UNSIGNED_HEADERS));
    const vendor = `X-${dialect.infix.charAt(0).toUpperCase()}${dialect.infix.slice(1)}`;
    Object.assign(smithy.query!, {
      [`${vendor}-Algorithm`]: algorithmOf(dialect),
      [`${vendor}-Credential`]: `${credentials.accessKeyId}/${this.scope(shortDate)}`,
      [`${vendor}-Date`]: longDate,
      [`${vendor}-Expires`]: String(expiresIn),
      [`${vendor}-SignedHeaders`]: this.getCanonicalHeaderList(canonical),
      ...(credentials.sessionToken === undefined
        ? {}
        : { [`${vendor}-Security-Token`]: credentials.sessionToken }),
    });
    const signature = await this.signature(
      longDate,
      this.createCanonicalRequest(smithy, canonical, UNSIGNED_PAYLOAD),
    );
    return `${getCanonicalQuery(smithy)}&${vendor}-Signature=${signature}`;
  }

  private scope(day: string): string {
    const { dialect, region } = this.context;
    return `${day}/${region}/${dialect.service}/${dialect.terminator}`;
  }

  private async signature(longDate: string, canonicalRequest: string): Promise<string> {
    const { dialect, credentials, region } = this.context;
    const day = longDate.slice(0, 8);
    const text = await this.createStringToSign(
      longDate,
      this.scope(day),
      canonicalRequest,
      algorithmOf(dialect),
    );
    let key: string | Uint8Array = dialect.scheme + credentials.secretAccessKey;
    for (const word of [day, region, dialect.service, dialect.terminator]) key = hmac(key, word);
    return Buffer.from(hmac(key, text)).toString("hex");
  }
}

/** Signs in headers; see `RequestSigner`. */
export function signHeaders(
  request: Signable,
  context: SigningContext,
): Promise<Record<string, string>> {
  return new DialectSigner(context).headers(request);
}

/**
 * Signs in the query: returns the whole query string, signature last. The payload is not signed; a
 * request with the URL must send the headers given here. `expiresIn` is seconds.
 */
export function signQuery(
  request: Omit<Signable, "payloadHash">,
  context: SigningContext,
  expiresIn: number,
): Promise<string> {
  return new DialectSigner(context).query({ ...request, payloadHash: UNSIGNED_PAYLOAD }, expiresIn);
}

function toSmithy(
  request: Signable,
  headers: Record<string, string>,
  query: Record<string, string>,
): SmithyRequest {
  const { method, path } = request;
  return { method, path, headers, query, protocol: "https:", hostname: headers["host"] ?? "" };
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
  const hash = new Sha256(key);
  hash.update(text);
  return hash.digestSync();
}
