/** Cutting a response body out of the bytes of a connection (RFC 9112 §6-7). */
import { type Framing, HEAD_LIMIT, UnusualResponse } from "./response-head.js";

/** Takes a connection's bytes as they come and hands on what belongs to the body. */
export interface BodyReader {
  /** Bytes still expected where that is known; the connection picks its buffers by it. */
  readonly expected: number;
  /**
   * Reads from `bytes`; calls `emit` for each run of body bytes. True once the body is complete.
   * Throws UnusualResponse when the framing is broken.
   */
  feed(bytes: Buffer, emit: (chunk: Buffer) => void): boolean;
  /** Whether a closed connection is a proper end here. */
  readonly endsByClose: boolean;
  /** Bytes followed the end: the connection is out of step and must not be used again. */
  readonly excess: boolean;
}

/** The reader for a framing. */
export function bodyReader(framing: Framing): BodyReader {
  if (framing.type === "chunked") return chunkedReader();
  if (framing.type === "close") {
    return {
      expected: Number.POSITIVE_INFINITY,
      endsByClose: true,
      excess: false,
      feed: (bytes, emit) => {
        if (bytes.length > 0) emit(bytes);
        return false;
      },
    };
  }
  return new LengthReader(framing.type === "length" ? framing.length : 0);
}

class LengthReader implements BodyReader {
  readonly endsByClose = false;
  excess = false;

  constructor(public expected: number) {}

  feed(bytes: Buffer, emit: (chunk: Buffer) => void): boolean {
    this.excess = bytes.length > this.expected;
    const body = this.excess ? bytes.subarray(0, this.expected) : bytes;
    this.expected -= body.length;
    if (body.length > 0) emit(body);
    return this.expected === 0;
  }
}

const CHUNK_SIZE = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?$/;

function chunkedReader(): BodyReader {
  let state: "size" | "data" | "data-end" | "trailer" | "done" = "size";
  let left = 0;
  let line = "";
  let excess = false;

  /** Collects up to a line feed; undefined while the line is unfinished. */
  const takeLine = (bytes: Buffer, at: number): [text: string | undefined, next: number] => {
    const end = bytes.indexOf(10, at);
    line += bytes.toString("latin1", at, end < 0 ? bytes.length : end);
    if (line.length > HEAD_LIMIT) throw new UnusualResponse("a chunk line is too long");
    if (end < 0) return [undefined, bytes.length];
    if (!line.endsWith("\r")) throw new UnusualResponse("a chunk line has a bare line feed");
    const text = line.slice(0, -1);
    line = "";
    return [text, end + 1];
  };

  return {
    expected: Number.POSITIVE_INFINITY,
    get excess() {
      return excess;
    },
    endsByClose: false,
    feed: (bytes, emit) => {
      let at = 0;
      while (at < bytes.length && !excess) {
        if (state === "data") {
          const end = Math.min(bytes.length, at + left);
          emit(bytes.subarray(at, end));
          left -= end - at;
          at = end;
          if (left === 0) state = "data-end";
          continue;
        }
        const [text, next] = takeLine(bytes, at);
        at = next;
        if (text === undefined) break;
        if (state === "size") {
          const size = CHUNK_SIZE.exec(text);
          if (size === null) throw new UnusualResponse("a chunk size is malformed");
          left = Number.parseInt(size[1]!, 16);
          state = left === 0 ? "trailer" : "data";
        } else if (state === "data-end") {
          if (text !== "") throw new UnusualResponse("a chunk is longer than its size");
          state = "size";
        } else if (text === "") {
          state = "done";
          excess = at < bytes.length;
        }
      }
      return state === "done";
    },
  };
}
