/**
 * HTTP messages as plain values: what the signed-request layer sends and what the embedded store
 * answers. The client's socket transport and the store's handler are both an `HttpHandler`, so
 * the one can stand in for the other.
 */
import { isAscii } from "node:buffer";

/** A request body that is read as a stream, and can be read again when a request is retried. */
export interface StreamBody {
  /** Bytes the stream will yield; undefined when unknown (then sent with chunked framing). */
  readonly length: number | undefined;
  /**
   * Starts one reading of the body. A yielded chunk is valid only until the next one is asked for.
   * Throws when the body can be read only once and has been.
   */
  open(): AsyncIterable<Uint8Array>;
}

export type RequestBody = Uint8Array | StreamBody;

export interface HttpRequest {
  /** Upper-case method. */
  readonly method: string;
  /** Scheme, host and port: `https://s3.example.com:9000`. The host may be virtual-host style. */
  readonly origin: string;
  /** Path exactly as on the wire: percent-encoded, never normalised, beginning with `/`. */
  readonly path: string;
  /** Query string as on the wire, without `?`; empty when there is none. */
  readonly query: string;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Header values by lower-case name; repeated headers joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body, to be read at most once. A yielded chunk is valid only until the next one is asked
   * for. Leaving the loop early releases the connection.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** All of the body, when it was there as soon as the head; `body` then brings just this. */
  readonly bytes?: Uint8Array | undefined;
}

export interface HandlerOptions {
  /** Aborts the request; the handler rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called as body bytes leave; `count` is the number of bytes just sent. */
  readonly onSent?: ((count: number) => void) | undefined;
  /** The network address of the client; undefined within the process. */
  readonly peer?: string | undefined;
}

/** Sends one request and resolves when the response's head has arrived. */
export type HttpHandler = (request: HttpRequest, options?: HandlerOptions) => Promise<HttpResponse>;

/** The chunks of a request body of either kind. */
export async function* bodyChunks(body: RequestBody | undefined): AsyncIterable<Uint8Array> {
  if (body === undefined) return;
  if (body instanceof Uint8Array) {
    if (body.length > 0) yield body;
    return;
  }
  yield* body.open();
}

/** Byte length of a body: 0 for none, undefined when unknown. */
export function bodyLength(body: RequestBody | undefined): number | undefined {
  return body === undefined ? 0 : body.length;
}

/**
 * Reads a whole body into memory.
 * Throws a RangeError once more than `limit` bytes have come.
 */
export async function readAll(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw new RangeError(`body is larger than ${limit} bytes`);
    parts.push(Buffer.from(chunk));
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts, size);
}

/** Bytes in memory that others use once it is given back: nobody may look at them after that. */
export interface Borrowed {
  readonly bytes: Buffer;
  /** At most once. Memory that is never given back is collected as any other. */
  readonly giveBack: () => void;
}

/** Buffers of bodies that have been read, for the next ones: new ones would wait to be collected. */
const spare: Buffer[] = [];
const SPARE = { size: 256 * 1024, largest: 1024 * 1024, all: 24 * 1024 * 1024 };
let spareBytes = 0;

function takeSpare(): Buffer {
  const buffer = spare.pop();
  spareBytes -= buffer?.length ?? 0;
  return buffer ?? Buffer.allocUnsafeSlow(SPARE.size);
}

function giveSpare(buffer: Buffer): void {
  if (buffer.length > SPARE.largest || spareBytes + buffer.length > SPARE.all) return;
  spare.push(buffer);
  spareBytes += buffer.length;
}

/** Reads a whole body. Throws a RangeError once more than `limit` bytes have come. */
export async function readBorrowed(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Borrowed> {
  let buffer = takeSpare();
  let size = 0;
  for await (const chunk of chunks) {
    const end = size + chunk.length;
    if (end > limit) throw new RangeError(`body is larger than ${limit} bytes`);
    if (end > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, end));
      buffer.copy(larger, 0, 0, size);
      giveSpare(buffer);
      buffer = larger;
    }
    buffer.set(chunk, size);
    size = end;
  }
  return { bytes: buffer.subarray(0, size), giveBack: () => giveSpare(buffer) };
}

/** Reads a whole body as UTF-8. Throws a RangeError once more than `limit` bytes have come. */
export async function readText(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  return takeText(await readBorrowed(chunks, limit));
}

/** The text of a body, which is given back. */
export function takeText({ bytes, giveBack }: Borrowed): string {
  // ASCII is copied as it is, where UTF-8 is looked at byte by byte.
  const text = bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
  giveBack();
  return text;
}
