/**
 * The `aws-chunked` content coding, signed and unsigned, with and without trailers
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and
 * …/sigv4-streaming-trailers.html):
 *
 *     <hex size>[;chunk-signature=<hex>]\r\n <bytes> \r\n … 0[;chunk-signature=…]\r\n
 *     [<trailer>:<value>\r\n …] [x-amz-trailer-signature:<hex>\r\n] \r\n
 *
 * Bytes are passed on as they come and in the pieces they come in; memory is bounded by one line.
 */
import { refuse } from "../refuse.js";

export interface ChunkedOptions {
  /** Called with a data chunk's bytes, piece by piece, then at its end with its signature. */
  readonly signatures?: ChunkSignatures | undefined;
  /** Whether trailing headers may follow the last chunk. */
  readonly trailers: boolean;
}

export interface ChunkSignatures {
  update(piece: Uint8Array): void;
  /** Throws SignatureDoesNotMatch. */
  endChunk(signature: string): void;
}

const MAX_LINE = 1024;
const MAX_TRAILER = 16 * 1024;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Decodes a body. Returns what followed the last chunk, unparsed: trailers, their signature.
 * Throws IncompleteBody when the body ends early, InvalidRequest when it is malformed.
 */
export async function* decodeChunked(
  source: AsyncIterable<Uint8Array>,
  { signatures, trailers }: ChunkedOptions,
): AsyncGenerator<Uint8Array, string> {
  let state: "size" | "data" | "end of data" | "tail" = "size";
  let line = "";
  let tail = "";
  let remaining = 0;
  let signature = "";

  for await (const bytes of source) {
    let offset = 0;
    while (offset < bytes.length) {
      if (state === "data") {
        const piece = bytes.subarray(offset, offset + remaining);
        offset += piece.length;
        remaining -= piece.length;
        signatures?.update(piece);
        yield piece;
        if (remaining === 0) state = "end of data";
      } else if (state === "tail") {
        tail += Buffer.from(
          bytes.buffer,
          bytes.byteOffset + offset,
          bytes.length - offset,
        ).toString();
        offset = bytes.length;
        if (tail.length > MAX_TRAILER) throw refuse("MalformedTrailerError");
      } else {
        const at = bytes.indexOf(LF, offset);
        const end = at < 0 ? bytes.length : at + 1;
        line += Buffer.from(bytes.buffer, bytes.byteOffset + offset, end - offset).toString(
          "latin1",
        );
        offset = end;
        if (line.length > MAX_LINE) throw malformed();
        if (at < 0) break;
        if (line.charCodeAt(line.length - 2) !== CR) throw malformed();
        const text = line.slice(0, -2);
        line = "";
        if (state === "end of data") {
          if (text !== "") throw malformed();
          signatures?.endChunk(signature);
          state = "size";
        } else {
          ({ size: remaining, signature } = parseChunkHead(text, signatures !== undefined));
          if (remaining > 0) state = "data";
          else {
            signatures?.endChunk(signature);
            state = "tail";
          }
        }
      }
    }
  }
  if (state !== "tail") throw refuse("IncompleteBody");
  if (!trailers && tail.trim() !== "") throw malformed();
  return tail;
}

function parseChunkHead(line: string, signed: boolean): { size: number; signature: string } {
  const found = /^([\da-fA-F]{1,12})(?:;chunk-signature=([\da-f]{64}))?$/.exec(line);
  if (found === null || signed !== (found[2] !== undefined)) throw malformed();
  return { size: Number.parseInt(found[1]!, 16), signature: found[2] ?? "" };
}

function malformed(): Error {
  return refuse("InvalidRequest", "The aws-chunked body is malformed.");
}
