/**
 * Sealed bytes: AES-256-GCM in chunks of 64 KiB, each followed by a tag of its own (16 bytes), so
 * that a range is read, and known to be whole, without the rest.
 *
 * Every stream, of an object or of a part, has a key of its own, derived from the customer's key
 * and the stream's salt (HKDF-SHA256). So a nonce can simply count; its last byte says whether the
 * chunk is the last, and chunks can be neither exchanged nor cut off.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

import { createMd5 } from "../../protocol/checksum.js";

const CHUNK = 64 * 1024;
const TAG = 16;
const ALGORITHM = "aes-256-gcm";

export interface Sealed {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Hex MD5 of the sealed bytes, once they were read: it tells nothing of what they were. */
  etag(): string;
}

/** Seals bytes; an empty stream has one empty chunk. `salt` is used for nothing else, ever. */
export function seal(
  chunks: AsyncIterable<Uint8Array>,
  customerKey: Uint8Array,
  salt: string,
): Sealed {
  const md5 = createMd5();
  async function* digested(): AsyncGenerator<Uint8Array> {
    for await (const piece of sealChunks(chunks, streamKey(customerKey, salt))) {
      md5.update(piece);
      yield piece;
    }
  }
  return { chunks: digested(), etag: () => md5.digest().toString("hex") };
}

async function* sealChunks(
  chunks: AsyncIterable<Uint8Array>,
  key: Buffer,
): AsyncGenerator<Uint8Array> {
  const held = Buffer.allocUnsafe(CHUNK);
  let filled = 0;
  let index = 0;
  const close = (last: boolean): Buffer => {
    const cipher = createCipheriv(ALGORITHM, key, nonce(index++, last));
    const bytes = [cipher.update(held.subarray(0, filled)), cipher.final()];
    filled = 0;
    return Buffer.concat([...bytes, cipher.getAuthTag()]);
  };
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      // A full chunk waits for more bytes: only they show that it is not the last.
      if (filled === CHUNK) yield close(false);
      const taken = rest.subarray(0, CHUNK - filled);
      held.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
    }
  }
  yield close(true);
}

/** How many bytes `size` bytes are once sealed. */
export function sealedSize(size: number): number {
  return size + TAG * chunkCount(size);
}

function chunkCount(size: number): number {
  return Math.max(1, Math.ceil(size / CHUNK));
}

/** One of the streams that are stored one behind the other: an object has one, or one a part. */
export interface SealedStream {
  /** Before it was sealed. */
  readonly size: number;
  readonly salt: string;
}

/** A chunk to be opened, and what of it is wanted. */
interface Piece {
  readonly stored: number;
  readonly key: Buffer;
  readonly index: number;
  readonly last: boolean;
  readonly from: number;
  readonly to: number;
}

/**
 * Opens bytes `start` to `end` inclusive of what the streams held. `read` gives stored bytes and is
 * called once. Throws before the first byte that is not as it was sealed.
 */
export async function* unseal(
  read: (start: number, end: number) => AsyncIterable<Uint8Array>,
  customerKey: Uint8Array,
  streams: readonly SealedStream[],
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const { offset, pieces } = plan(customerKey, streams, start, end);
  const length = pieces.reduce((sum, { stored }) => sum + stored, 0);
  let next = 0;
  const held = Buffer.allocUnsafe(CHUNK + TAG);
  let filled = 0;
  for await (const chunk of read(offset, offset + length - 1)) {
    let rest = chunk;
    while (rest.length > 0) {
      const piece = pieces[next]!;
      const taken = rest.subarray(0, piece.stored - filled);
      held.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
      if (filled < piece.stored) break;
      yield open(held.subarray(0, filled), piece).subarray(piece.from, piece.to);
      filled = 0;
      next += 1;
    }
  }
  if (next < pieces.length) throw new Error("sealed bytes are missing");
}

/** The chunks that are needed; they are stored one behind the other. */
function plan(
  customerKey: Uint8Array,
  streams: readonly SealedStream[],
  start: number,
  end: number,
): { readonly offset: number; readonly pieces: readonly Piece[] } {
  const pieces: Piece[] = [];
  let offset = 0;
  let plain = 0;
  let stored = 0;
  for (const { size, salt } of streams) {
    const first = Math.max(start - plain, 0);
    const final = Math.min(end - plain, size - 1);
    if (first <= final) {
      const key = streamKey(customerKey, salt);
      const count = chunkCount(size);
      for (let index = Math.floor(first / CHUNK); index * CHUNK <= final; index += 1) {
        if (pieces.length === 0) offset = stored + index * (CHUNK + TAG);
        pieces.push({
          stored: Math.min(CHUNK, size - index * CHUNK) + TAG,
          key,
          index,
          last: index === count - 1,
          from: Math.max(first - index * CHUNK, 0),
          to: Math.min(final - index * CHUNK + 1, CHUNK),
        });
      }
    }
    plain += size;
    stored += sealedSize(size);
  }
  return { offset, pieces };
}

function open(sealed: Buffer, { key, index, last }: Piece): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, nonce(index, last));
  decipher.setAuthTag(sealed.subarray(-TAG));
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG)), decipher.final()]);
}

function streamKey(customerKey: Uint8Array, salt: string): Buffer {
  const bytes = Buffer.from(salt, "base64");
  return Buffer.from(hkdfSync("sha256", customerKey, bytes, "pail sealed stream 1", 32));
}

function nonce(index: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(index, 4);
  bytes[11] = last ? 1 : 0;
  return bytes;
}
