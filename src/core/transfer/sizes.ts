/**
 * How an object is cut into parts
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html).
 */
import { AppError } from "../failures/errors.js";

export const MIB = 1024 * 1024;
export const GIB = 1024 * MIB;
export const MAX_PARTS = 10_000;
export const MIN_PART_SIZE = 5 * MIB;
const MAX_PART_SIZE = 5 * GIB;

/** Parts of this size: fast on every line measured, and few enough bytes to send again. */
export const DEFAULT_PART_SIZE = 8 * MIB;
/** Larger parts are read from their source twice (hash, send) instead of being held in memory. */
export const MAX_BUFFERED_PART = 16 * MIB;
/** Up to here one request does it, without the three of a multipart upload. */
export const SINGLE_PUT_LIMIT = 16 * MIB;
/** CopyObject and UploadPartCopy take at most this much in one request. */
export const MAX_SINGLE_COPY = 5 * GIB;
/** Files up to this size take the shortest way: read whole, sent whole. */
export const SMALL_OBJECT = 1024 * 1024;

export interface PartRange {
  /** From 1. */
  readonly number: number;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Checks a part size given by a person. */
export function requirePartSize(partSize: number | undefined): void {
  if (partSize === undefined) return;
  if (Number.isSafeInteger(partSize) && partSize >= MIN_PART_SIZE && partSize <= MAX_PART_SIZE)
    return;
  throw new AppError({
    kind: "usage",
    code: "InvalidPartSize",
    message: `a part size must be between 5 MiB and 5 GiB, not ${partSize} bytes`,
  });
}

/** The part size for an object: what was asked for or the default, grown to fit 10,000 parts. */
export function partSizeFor(size: number, requested = DEFAULT_PART_SIZE): number {
  const needed = Math.ceil(size / MAX_PARTS / MIB) * MIB;
  const partSize = Math.max(requested, needed);
  if (partSize <= MAX_PART_SIZE) return partSize;
  throw new AppError({
    kind: "usage",
    code: "EntityTooLarge",
    message: `${size} bytes are more than an object of ${MAX_PARTS} parts of 5 GiB can hold`,
  });
}

/**
 * The size of the ranges of a download: what was asked for, else what makes some sixty of them, from
 * 8 to 64 MiB. A range needs no buffer of its size, and each costs a request; an interrupted one
 * goes on from what was last noted of it.
 */
export function rangeSizeFor(size: number, requested?: number): number {
  const partSize = partSizeFor(size, requested);
  if (requested !== undefined) return partSize;
  const even = Math.ceil(size / 64 / MIB) * MIB;
  return Math.max(partSize, Math.min(even, 64 * MIB));
}

/**
 * The size of part `number` of a stream whose length is unknown. It grows, so that 10,000 parts
 * hold about 490 GiB while no more than 64 MiB are in memory; a larger stream needs an explicit
 * part size.
 */
export function streamPartSize(number: number, requested: number | undefined): number {
  if (requested !== undefined) return requested;
  return Math.min(DEFAULT_PART_SIZE * 2 ** Math.floor((number - 1) / 1_000), 64 * MIB);
}

/** Part `number` of an object. */
export function partRange(number: number, partSize: number, size: number): PartRange {
  const start = (number - 1) * partSize;
  return { number, start, end: Math.min(start + partSize, size) };
}

/** How many parts an object has; an empty one has one. */
export function partCount(size: number, partSize: number): number {
  return Math.max(1, Math.ceil(size / partSize));
}
