/** An object's bytes as something a model can take: text, a picture, a sound, or neither. */
import { isUtf8 } from "node:buffer";

import { AppError } from "../core/failures/errors.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { ObjectInfo } from "../core/storage/storage.js";
import { MAX_RESULT_BYTES } from "./limits.js";

/** A stretch of an object. */
export interface Piece {
  readonly info: ObjectInfo;
  /** Position of the first byte in the object. */
  readonly start: number;
  readonly bytes: Buffer;
}

export interface PieceOptions {
  readonly offset: number;
  /** Bytes at most. */
  readonly limit: number;
  readonly versionId?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads up to `limit` bytes of one version, the same from the first byte to the last; a negative
 * offset counts from the end. Throws NoSuchKey, InvalidRange when the offset is past the end,
 * PreconditionFailed when the object was replaced meanwhile.
 */
export async function readPiece(
  storage: BucketStorage,
  key: string,
  { offset, limit, versionId, signal }: PieceOptions,
): Promise<Piece> {
  const version = versionId === undefined ? {} : { versionId };
  const info = await storage.stat(key, { ...version, signal });
  const start = offset < 0 ? Math.max(0, info.size + offset) : offset;
  if (info.size === 0 && start === 0) return { info, start: 0, bytes: Buffer.alloc(0) };
  if (start >= info.size) {
    throw new AppError({
      kind: "usage",
      code: "InvalidRange",
      message: `offset ${offset} is past the end; the object has ${info.size} bytes`,
      hint: "use a smaller offset",
    });
  }
  const end = Math.min(start + limit, info.size) - 1;
  const { body } = await storage.read(key, {
    ...version,
    range: { start, end },
    ifMatch: info.etag,
    signal,
  });
  return { info, start, bytes: await readAtMost(body, end - start + 1) };
}

/** The first bytes of a body; a service that sends more than it was asked for is not listened to. */
export async function readAtMost(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(most);
  let length = 0;
  for await (const chunk of body) {
    bytes.set(chunk.subarray(0, most - length), length);
    length = Math.min(most, length + chunk.length);
    if (length === most) break;
  }
  return bytes.subarray(0, length);
}

/** Text with its place in the object. */
export interface TextPiece {
  readonly text: string;
  readonly start: number;
  /** Where the next piece starts; the object's size at its end. */
  readonly end: number;
}

/**
 * The piece as text: valid UTF-8 without NUL. Characters cut in two at the piece's ends are left
 * to the pieces before and after. Undefined for anything else.
 */
export function asText({ bytes, start, info }: Piece): TextPiece | undefined {
  let from = 0;
  let to = bytes.length;
  if (start > 0) while (from < 3 && from < to && isContinuation(bytes[from]!)) from += 1;
  if (start + to < info.size) to -= cutOff(bytes);
  const whole = bytes.subarray(from, Math.max(from, to));
  if (whole.includes(0) || !isUtf8(whole) || (whole.length === 0 && bytes.length > 0))
    return undefined;
  return fitting({ text: whole.toString("utf8"), start: start + from, end: start + to });
}

/** Shortened until its JSON form fits a result: control characters take six bytes each there. */
function fitting(piece: TextPiece): TextPiece {
  let { text, end } = piece;
  while (Buffer.byteLength(JSON.stringify(text)) > MAX_RESULT_BYTES - 65_536) {
    // Never between the halves of a surrogate pair.
    text = text.slice(0, Math.floor(text.length / 2)).replace(/[\ud800-\udbff]$/, "");
    end = piece.start + Buffer.byteLength(text);
  }
  return { text, start: piece.start, end };
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** How many bytes at the end begin a character that ends beyond them. */
function cutOff(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

const IMAGES: readonly (readonly [mimeType: string, signature: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

/**
 * The picture or sound that clients show. A picture is known by its first bytes, since a client
 * chokes on one that is not what it is said to be; a sound by its type.
 */
export function mediaOf(
  bytes: Buffer,
  contentType: string | undefined,
): { readonly type: "image" | "audio"; readonly mimeType: string } | undefined {
  const head = bytes.subarray(0, 16).toString("latin1");
  const image = IMAGES.find(([, signature]) => signature.test(head));
  if (image !== undefined) return { type: "image", mimeType: image[0] };
  const declared = mimeTypeOf(contentType);
  return declared.startsWith("audio/") ? { type: "audio", mimeType: declared } : undefined;
}

/** A declared type without its parameters, in lower case; what is no type is octet-stream. */
export function mimeTypeOf(contentType: string | undefined): string {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  // Whoever wrote the object wrote this too, and it is going to be read by a model.
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}
