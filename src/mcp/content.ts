/** An object's bytes as something a model can take: text, a picture, a sound, or neither. */
import { isUtf8 } from "node:buffer";

import { type AppError, usageError } from "../core/failures/errors.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { ObjectInfo } from "../core/storage/storage.js";
import { expanded, tail } from "../core/operations/excerpt.js";
import { MAX_RESULT_BYTES, SCAN_BYTES } from "./limits.js";

/** A stretch of an object. */
export interface Piece {
  readonly info: ObjectInfo;
  /** Position of the first byte in the object. */
  readonly start: number;
  readonly bytes: Buffer;
}

export interface PieceOptions {
  /** The object, as it was seen. */
  readonly info: ObjectInfo;
  /** Negative: from the end. */
  readonly offset: number;
  /** Bytes at most. */
  readonly limit: number;
  readonly versionId?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads up to `limit` bytes of the object that was seen, the same from the first byte to the last.
 * Throws InvalidRange when the offset is past the end, PreconditionFailed when the object was replaced
 * meanwhile.
 */
export async function readPiece(
  storage: BucketStorage,
  { info, offset, limit, versionId, signal }: PieceOptions,
): Promise<Piece> {
  const start = offset < 0 ? Math.max(0, info.size + offset) : offset;
  if (info.size === 0 && start === 0) return { info, start: 0, bytes: Buffer.alloc(0) };
  if (start >= info.size) throw pastEnd(offset, info.size);
  const end = Math.min(start + limit, info.size) - 1;
  const { body } = await storage.read(info.key, {
    versionId,
    range: { start, end },
    ifMatch: info.etag,
    signal,
  });
  return { info, start, bytes: await readAtMost(body, end - start + 1) };
}

/**
 * The same of what a compressed object holds: positions and sizes are then of its content, whose end
 * is not known before it is met: until then `info.size` is Infinity. Throws BadCompression.
 */
export async function readExpanded(
  storage: BucketStorage,
  { info, offset, limit, versionId, signal }: PieceOptions,
): Promise<Piece> {
  const { key } = info;
  const pieces: Buffer[] = [];
  let length = 0;
  let start = Math.max(0, offset);
  const request = { storage, key, versionId, signal };
  const chunks =
    offset < 0
      ? tail({ ...request, count: { bytes: -offset } })
      : expanded(await storage.read(key, { versionId, ifMatch: info.etag, signal }), request);
  let skip = start;
  let more = false;
  for await (const chunk of chunks) {
    const part = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - part.length;
    if (start - skip > SCAN_BYTES) throw pastScan(start);
    pieces.push(Buffer.from(part.subarray(0, limit - length)));
    more = length + part.length > limit;
    length = Math.min(limit, length + part.length);
    if (more) break;
  }
  if (skip > 0) throw pastEnd(offset, start - skip);
  const bytes = Buffer.concat(pieces);
  // How far from its beginning an end is cannot be known without reading it all.
  if (offset < 0) start = 0;
  return { info: { ...info, size: more ? Infinity : start + length }, start, bytes };
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

function pastEnd(offset: number, size: number): AppError {
  return usageError(
    "InvalidRange",
    `offset ${offset} is past the end; the object has ${size} bytes`,
    "use a smaller offset",
  );
}

function pastScan(offset: number): AppError {
  return usageError(
    "InvalidRange",
    `offset ${offset} is too far into compressed content`,
    `use an offset of at most ${SCAN_BYTES}, or grep_objects`,
  );
}

const BYTE_ORDER_MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Names and types of what is text, whatever its encoding. */
const TEXT_TYPE = /^text\/|[/+](?:json|xml|csv|yaml|javascript)$/;
const TEXT_NAME = /\.(?:txt|csv|tsv|log|md|json|xml|html?|ya?ml|ini|cfg|conf|sql|srt)$/i;

/**
 * A piece in another encoding than UTF-8: the one its first bytes or its type tell, else, for what
 * is called text, windows-1252. Undefined when it is not text.
 */
export function asOtherText(piece: Piece): (TextPiece & { readonly encoding: string }) | undefined {
  const { bytes, start, info } = piece;
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  const declared = /charset="?([\w-]+)/i.exec(info.contentType ?? "")?.[1]?.toLowerCase();
  const isText = TEXT_TYPE.test(mimeTypeOf(info.contentType)) || TEXT_NAME.test(info.key);
  const encoding =
    marked?.[0] ??
    (declared === "utf-8" ? undefined : declared) ??
    (isText ? "windows-1252" : undefined);
  if (encoding === undefined) return undefined;
  const wide = encoding.startsWith("utf-16");
  if (!wide && bytes.includes(0)) return undefined;
  try {
    const whole = wide ? bytes.subarray(0, bytes.length & ~1) : bytes;
    const text = new TextDecoder(encoding).decode(whole);
    return { text, start, end: start + whole.length, encoding };
  } catch {
    return undefined; // It names an encoding that nobody knows.
  }
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

/**
 * A declared type without its parameters, in lower case; anything that is not a type becomes
 * octet-stream.
 */
export function mimeTypeOf(contentType: string | undefined): string {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  // The writer of the object wrote this too, and a model is going to read it.
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}
