/** The body of one upload request: bytes in memory, or a stretch of a source that can be read again. */
import { createHash, hash } from "node:crypto";

import { type ChecksumAlgorithm, checksumOf, createChecksum } from "../../protocol/checksum.js";
import type { RequestBody } from "../../protocol/message.js";
import { type Hashed, hashLarge } from "../engine/hash-thread.js";
import { LIMITED_CHUNK, type Limiter } from "../engine/limits.js";

export interface Payload {
  readonly length: number;
  /** All of it, when it is in memory. */
  readonly bytes?: Uint8Array | undefined;
  /** One reading from the start; a chunk is valid until the next is asked for. */
  open(): AsyncIterable<Uint8Array>;
  /** Gives back what it borrowed. */
  release(): void;
}

/** Bodies up to this size are handed over whole; larger ones in slices of it. */
const SLICE = 1024 * 1024;

/** A payload of bytes in memory. */
export function memoryPayload(bytes: Uint8Array, release: () => void = () => undefined): Payload {
  return { length: bytes.length, bytes, open: () => slices(bytes, SLICE), release };
}

async function* slices(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
  }
}

/** The payload as a request body, passing the limiter as it is sent. */
export function requestBody(
  payload: Payload,
  limiter: Limiter | undefined,
  signal: AbortSignal,
): RequestBody {
  const { bytes, length } = payload;
  if (limiter === undefined) {
    return bytes !== undefined && length <= SLICE ? bytes : { length, open: () => payload.open() };
  }
  return { length, open: () => limited(payload.open(), limiter, signal) };
}

async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  limiter: Limiter,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for await (const piece of slices(chunk, LIMITED_CHUNK)) {
      await limiter.take(piece.length, signal);
      yield piece;
    }
  }
}

export interface Digests {
  /** Raw, big-endian. */
  readonly checksum?: Buffer | undefined;
  /** Lower-case hex. */
  readonly sha256?: string | undefined;
}

interface Wanted {
  readonly algorithm: ChecksumAlgorithm | undefined;
  readonly sha256: boolean;
}

/** Computes what is asked for in one reading; of a few bytes in memory at once. */
export function digestPayload(payload: Payload, wanted: Wanted): Digests | Promise<Digests> {
  const { bytes } = payload;
  if (bytes === undefined) return digestStream(payload, wanted);
  const { algorithm, sha256 } = wanted;
  if (!sha256 || bytes.length < LARGE) {
    const checksum = algorithm && checksumOf(algorithm, bytes);
    return { checksum, sha256: sha256 ? hash("sha256", bytes) : undefined };
  }
  const hashed = hashLarge(bytes, algorithm === "CRC32");
  // Another sum is computed here while another thread hashes, if it does.
  const other = algorithm && algorithm !== "CRC32" ? checksumOf(algorithm, bytes) : undefined;
  const digests = ({ crc32, sha256 }: Hashed) => ({ checksum: crc32 ?? other, sha256 });
  return hashed instanceof Promise ? hashed.then(digests) : digests(hashed);
}

/** From here on bytes are worth handing to another thread. */
const LARGE = 512 * 1024;

async function digestStream(payload: Payload, { algorithm, sha256 }: Wanted): Promise<Digests> {
  if (algorithm === undefined && !sha256) return {};
  const checksum = algorithm === undefined ? undefined : createChecksum(algorithm);
  const hasher = sha256 ? createHash("sha256") : undefined;
  for await (const chunk of payload.open()) {
    checksum?.update(chunk);
    hasher?.update(chunk);
  }
  return { checksum: checksum?.digest(), sha256: hasher?.digest("hex") };
}
