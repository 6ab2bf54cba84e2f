/** The promises that a request's headers make about its body. */
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  checksumLength,
} from "../../protocol/checksum.js";
import { notImplemented, refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";

export interface ChecksumPromise {
  readonly algorithm: ChecksumAlgorithm;
  /** Raw digest; undefined when it follows in a trailer. */
  readonly value?: Buffer | undefined;
}

/** The lower-case vendor header name, without the vendor prefix, that carries a checksum. */
export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `checksum-${algorithm.toLowerCase()}`;
}

/** The one checksum the client sends along, in a header or a trailer. Throws InvalidRequest. */
export function promisedChecksum(request: StoreRequest): ChecksumPromise | undefined {
  const trailer = request.header(request.vendor("trailer"))?.trim().toLowerCase();
  const inTrailer = CHECKSUM_ALGORITHMS.filter(
    (algorithm) => trailer === request.vendor(checksumHeader(algorithm)),
  );
  if (trailer !== undefined && inTrailer.length === 0) {
    throw refuse(
      "InvalidRequest",
      `The value specified in the ${request.vendor("trailer")} header is not supported`,
    );
  }
  const inHeader = checksumsIn(request);
  const promised = [...inHeader, ...inTrailer];
  if (promised.length > 1) {
    throw refuse(
      "InvalidRequest",
      `Expecting a single ${request.vendor("checksum-")} header. Multiple checksum Types are not allowed.`,
    );
  }
  const [algorithm] = promised;
  checkDeclaredAlgorithm(request, algorithm);
  if (algorithm === undefined) return undefined;
  if (inTrailer.length > 0) return { algorithm };
  const name = request.vendor(checksumHeader(algorithm));
  return { algorithm, value: parseChecksum(request.header(name)!, algorithm, name) };
}

/** Words that may follow `checksum-` in a header's name and are no algorithm. */
const ABOUT_CHECKSUMS = ["algorithm", "mode", "type"];

/** S3's algorithms that this store does not compute. */
const NOT_COMPUTED = ["xxhash3", "xxhash64", "xxhash128"];

/**
 * The algorithms of the checksums in the headers. Throws for one that is not computed here: to
 * ignore it would be to vouch for bytes that nobody has checked.
 */
export function checksumsIn(request: StoreRequest): ChecksumAlgorithm[] {
  return request.vendorHeaders("checksum-").flatMap(([name]) => {
    if (ABOUT_CHECKSUMS.includes(name)) return [];
    const found = CHECKSUM_ALGORITHMS.find((algorithm) => algorithm.toLowerCase() === name);
    if (found !== undefined) return found;
    const header = request.vendor(`checksum-${name}`);
    if (NOT_COMPUTED.includes(name)) throw notImplemented(`the checksum of the header ${header}`);
    throw refuse("InvalidRequest", `The header ${header} is of no checksum that S3 knows.`);
  });
}

function checkDeclaredAlgorithm(
  request: StoreRequest,
  promised: ChecksumAlgorithm | undefined,
): void {
  const name = request.vendor("sdk-checksum-algorithm");
  const declared = request.header(name)?.toUpperCase();
  if (declared === undefined || declared === promised) return;
  if (!CHECKSUM_ALGORITHMS.some((algorithm) => algorithm === declared)) {
    throw refuse("InvalidRequest", `Value for ${name} header is invalid.`);
  }
  throw refuse(
    "InvalidRequest",
    promised === undefined
      ? `${name} specified, but no corresponding ${request.vendor("checksum-*")} or ${request.vendor("trailer")} headers were found.`
      : `Value for ${name} header does not match the checksum that was sent.`,
  );
}

/** Decodes a base64 checksum. Throws InvalidRequest when it is not one of the algorithm. */
export function parseChecksum(text: string, algorithm: ChecksumAlgorithm, header: string): Buffer {
  const value = Buffer.from(text, "base64");
  if (value.length === checksumLength(algorithm) && value.toString("base64") === text) return value;
  throw refuse("InvalidRequest", `Value for ${header} header is invalid.`);
}

/** The MD5 of `Content-MD5`. Throws InvalidDigest. */
export function promisedMd5(request: StoreRequest): Buffer | undefined {
  const text = request.header("content-md5");
  if (text === undefined) return undefined;
  const value = Buffer.from(text, "base64");
  if (value.length === 16 && value.toString("base64") === text) return value;
  throw refuse("InvalidDigest");
}
