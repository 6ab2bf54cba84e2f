/**
 * The checksums of S3, incremental, as S3 writes them (base64, big-endian)
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html).
 */
import { createHash } from "node:crypto";
import * as zlib from "node:zlib";

import { combine, type CrcShape } from "./crc-combine.js";
import { createFold, type Fold, worthFolding } from "./crc-fold.js";
import { createCrc, type CrcUpdate } from "./crc-wasm.js";

export type ChecksumAlgorithm =
  | "CRC32"
  | "CRC32C"
  | "CRC64NVME"
  | "SHA1"
  | "SHA256"
  | "SHA512"
  | "MD5";

/** The algorithms whose value for a whole object follows from the values of its parts. */
export type CrcAlgorithm = "CRC32" | "CRC32C" | "CRC64NVME";

export const CHECKSUM_ALGORITHMS: readonly ChecksumAlgorithm[] = [
  "CRC32",
  "CRC32C",
  "CRC64NVME",
  "SHA1",
  "SHA256",
  "SHA512",
  "MD5",
];

export interface Checksum {
  update(chunk: Uint8Array): void;
  /** Raw digest so far, big-endian. A hash ends with it; a CRC may go on. */
  digest(): Buffer;
}

interface FoldedShape extends CrcShape {
  /** Between the terms of a multiple that has few of them, found by search (crc-fold.ts). */
  readonly distances: readonly number[];
}

const CRC_SHAPES: Readonly<Record<CrcAlgorithm, FoldedShape>> = {
  CRC32: { width: 32, polynomial: 0xedb88320n, distances: [145, 183, 211, 300] },
  CRC32C: { width: 32, polynomial: 0x82f63b78n, distances: [123, 145, 178, 195, 266] },
  CRC64NVME: {
    width: 64,
    polynomial: 0x9a6c9329ac4bc9b5n,
    distances: [168, 658, 1357, 2287, 2391, 2516, 2734, 2828],
  },
};

/** Starts a checksum. */
export function createChecksum(algorithm: ChecksumAlgorithm): Checksum {
  switch (algorithm) {
    case "CRC32":
      return crc32();
    case "CRC32C":
    case "CRC64NVME":
      return wideCrc(algorithm);
    case "SHA1":
      return hash("sha1");
    case "SHA256":
      return hash("sha256");
    case "SHA512":
      return hash("sha512");
    case "MD5":
      return hash("md5");
  }
}

/** A CRC32 as zlib computes it, as S3 writes it: raw, big-endian. */
function crc32Bytes(value: number): Buffer {
  const digest = Buffer.allocUnsafe(4);
  digest.writeUInt32BE(value);
  return digest;
}

/** The raw checksum of bytes in memory, big-endian. */
export function checksumOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): Buffer {
  if (algorithm === "CRC32") return crc32Bytes(crc32Of(bytes));
  const checksum = createChecksum(algorithm);
  checksum.update(bytes);
  return checksum.digest();
}

/** Starts an MD5, for ETags and Content-MD5. */
export function createMd5(): Checksum {
  return hash("md5");
}

/** Whether this names a CRC, hence one that combines (FULL_OBJECT for a multipart object). */
export function isCrc(algorithm: string | undefined): algorithm is CrcAlgorithm {
  return algorithm !== undefined && Object.hasOwn(CRC_SHAPES, algorithm);
}

/**
 * The CRC of A followed by B, from the digests of A and of B and the length of B in bytes. Gives
 * the FULL_OBJECT checksum of a multipart object from those of its parts.
 */
export function combineCrc(
  algorithm: CrcAlgorithm,
  first: Uint8Array,
  second: Uint8Array,
  secondLength: number,
): Buffer {
  const shape = CRC_SHAPES[algorithm];
  const value = combine(shape, toBigInt(first), toBigInt(second), secondLength);
  return toBytes(value, shape.width);
}

/** Length of an algorithm's raw digest in bytes. */
export function checksumLength(algorithm: ChecksumAlgorithm): number {
  if (isCrc(algorithm)) return CRC_SHAPES[algorithm].width / 8;
  return HASH_BYTES[algorithm];
}

const HASH_BYTES = { SHA1: 20, SHA256: 32, SHA512: 64, MD5: 16 } as const;

function hash(name: "md5" | "sha1" | "sha256" | "sha512"): Checksum {
  const state = createHash(name);
  return {
    update: (chunk) => void state.update(chunk),
    digest: () => state.digest(),
  };
}

// In Node since 20.15; absent from the type declarations of Node 20.
const { crc32: zlibCrc32 } = zlib as unknown as {
  crc32: (data: Uint8Array, value?: number) => number;
};

function crc32(): Checksum {
  let value = 0;
  return {
    update: (chunk) => {
      value = crc32Of(chunk, value);
    },
    digest: () => crc32Bytes(value),
  };
}

/** The same as of zlib, which inverts the register before and after. */
function crc32Of(chunk: Uint8Array, value = 0): number {
  const folded = fold("CRC32", chunk, BigInt(~value >>> 0));
  if (folded === undefined) return zlibCrc32(chunk, value);
  return zlibCrc32(chunk.subarray(folded.length), zlibCrc32(folded.remainder, 0xffffffff));
}

// Compiled on first use: most runs need none.
const updates = new Map<CrcAlgorithm, CrcUpdate>();
const folds = new Map<CrcAlgorithm, Fold>();

/** See `Fold`; undefined where it does not pay. */
function fold(
  algorithm: CrcAlgorithm,
  chunk: Uint8Array,
  register: bigint,
): ReturnType<Fold> | undefined {
  const { distances } = CRC_SHAPES[algorithm];
  if (chunk.length < worthFolding(distances)) return undefined;
  const made = folds.get(algorithm) ?? createFold(distances);
  folds.set(algorithm, made);
  return made(chunk, register);
}

function wideCrc(algorithm: "CRC32C" | "CRC64NVME"): Checksum {
  const { width, polynomial } = CRC_SHAPES[algorithm];
  let update = updates.get(algorithm);
  if (update === undefined) {
    update = createCrc(polynomial);
    updates.set(algorithm, update);
  }
  const advance = update;
  const ones = (1n << BigInt(width)) - 1n;
  let register = ones;
  return {
    update: (chunk) => {
      const folded = fold(algorithm, chunk, register);
      if (folded !== undefined) register = advance(0n, folded.remainder);
      register = advance(register, chunk.subarray(folded?.length ?? 0));
    },
    digest: () => toBytes(register ^ ones, width),
  };
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

function toBytes(value: bigint, width: 32 | 64): Buffer {
  return Buffer.from(value.toString(16).padStart(width / 4, "0"), "hex");
}
