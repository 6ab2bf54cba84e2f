/** Whether what was downloaded is what is stored. */
import { hash } from "node:crypto";

import {
  type Checksum,
  type ChecksumAlgorithm,
  checksumOf,
  createChecksum,
  createMd5,
} from "../../protocol/checksum.js";
import { AppError } from "../failures/errors.js";
import { modifiedAt } from "../local/attributes.js";
import type { ObjectInfo } from "../storage/storage.js";
import type { Downloaded } from "./tasks.js";

/** The checksum that an object's bytes are compared with. */
export interface Expected {
  readonly algorithm: ChecksumAlgorithm | "MD5";
  /** The checksum of the whole object: base64 as S3 writes it, or hex for MD5. */
  readonly value: string;
  /**
   * It is computed over the parts' checksums instead of the bytes; `value` ends with `-<parts>`.
   */
  readonly composite: boolean;
}

/** Cheapest first. */
const PREFERENCE: readonly ChecksumAlgorithm[] = ["CRC32", "CRC64NVME", "CRC32C", "SHA1", "SHA256"];
const MD5 = /^[0-9a-f]{32}$/;

/**
 * The service's facts about an object that its bytes can be compared with: a checksum of the whole,
 * else a composite one, else an ETag that is an MD5; undefined when there is none of them. The ETag
 * of an object encrypted with a customer's or KMS key looks like an MD5 but is not one
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html).
 */
export function expectedOf(info: ObjectInfo): Expected | undefined {
  let composite: Expected | undefined;
  for (const algorithm of PREFERENCE) {
    const value = info.checksums[algorithm];
    if (value === undefined) continue;
    if (info.checksumType !== "COMPOSITE" && !value.includes("-")) {
      return { algorithm, value, composite: false };
    }
    composite ??= { algorithm, value, composite: true };
  }
  if (composite !== undefined) return composite;
  const plain = info.encryption === undefined || info.encryption === "AES256";
  if (plain && info.etag !== undefined && MD5.test(info.etag)) {
    return { algorithm: "MD5", value: info.etag, composite: false };
  }
  return undefined;
}

/** The facts that a download tells when it has ended well; `expected` is what it was verified by. */
export function downloaded(
  { verify }: { readonly verify: boolean },
  info: ObjectInfo,
  expected = expectedOf(info),
): Downloaded {
  const unverified = verify && expected === undefined ? true : undefined;
  return { etag: info.etag, modified: modifiedAt(info), unverified };
}

/** Starts the computation of an expectation that is not composite. */
export function startDigest(expected: Expected): Checksum {
  return expected.algorithm === "MD5" ? createMd5() : createChecksum(expected.algorithm);
}

/** The raw digest of bytes in memory, for an expectation that is not composite. */
export function digestOf({ algorithm }: Expected, bytes: Uint8Array): Buffer {
  return algorithm === "MD5" ? hash("md5", bytes, "buffer") : checksumOf(algorithm, bytes);
}

/**
 * Holds bytes against an expectation as they pass, in order; `partSizes` is needed for a composite
 * one. `check` throws ChecksumMismatch.
 */
export function startVerification(expected: Expected, partSizes: readonly number[] = []) {
  const parts: Buffer[] = [];
  let digest = startDigest(expected);
  let left = partSizes[0] ?? Infinity;
  const closeFullParts = () => {
    while (left === 0) {
      parts.push(digest.digest());
      digest = startDigest(expected);
      left = partSizes[parts.length] ?? Infinity;
    }
  };
  return {
    update: (bytes: Uint8Array) => {
      for (let from = 0; from < bytes.length;) {
        const piece = bytes.subarray(from, Math.min(bytes.length, from + left));
        digest.update(piece);
        from += piece.length;
        left -= piece.length;
        closeFullParts();
      }
    },
    check: (name: string) => {
      if (expected.composite) requireCompositeMatch(expected, parts, name);
      else requireMatch(expected, digest.digest(), name);
    },
  };
}

/** Throws ChecksumMismatch unless the raw digest is the one expected. */
export function requireMatch(expected: Expected, digest: Buffer, name: string): void {
  const actual = digest.toString(expected.algorithm === "MD5" ? "hex" : "base64");
  requireEqual(expected, actual, name);
}

/** Throws ChecksumMismatch unless the parts' raw digests give the composite value expected. */
export function requireCompositeMatch(
  expected: Expected,
  parts: readonly Buffer[],
  name: string,
): void {
  const whole = startDigest(expected);
  for (const part of parts) whole.update(part);
  const counted = expected.value.includes("-") ? `-${parts.length}` : "";
  requireEqual(expected, whole.digest().toString("base64") + counted, name);
}

function requireEqual(expected: Expected, actual: string, name: string): void {
  if (actual === expected.value) return;
  throw new AppError({
    kind: "unavailable",
    code: "ChecksumMismatch",
    message: `the bytes of ${name} that arrived are not the ones stored: ${expected.algorithm} ${actual} instead of ${expected.value}`,
    hint: "run the command again; --no-verify skips the check",
    details: { algorithm: expected.algorithm, expected: expected.value, actual },
  });
}
