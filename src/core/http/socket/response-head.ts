/** Reading the head of an HTTP/1.1 response (RFC 9112), strictly. */

import { fromWire } from "../node/header-text.js";

/** How the end of a response body is found. */
export type Framing =
  | { readonly type: "none" }
  | { readonly type: "length"; readonly length: number }
  | { readonly type: "chunked" }
  | { readonly type: "close" };

export interface ResponseHead {
  readonly status: number;
  /** By lower-case name; repeated headers joined with `, `. */
  readonly headers: Record<string, string>;
  readonly framing: Framing;
  /** Whether the connection may carry another request. */
  readonly keepAlive: boolean;
}

/** An answer this reader will not interpret; node:http may know better. */
export class UnusualResponse extends Error {
  readonly code = "UnusualResponse";
}

export const HEAD_LIMIT = 64 * 1024;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const DIGITS = /^\d{1,15}$/;
/** Matches nearly every value: a blank, and visible ASCII with blanks only inside. */
const PLAIN = /^ [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Header values by name; without a prototype, and faster than `Object.create(null)`. */
const Headers = function () {} as unknown as new () => Record<string, string>;
Headers.prototype = Object.create(null);

/**
 * Parses the head without its closing empty line. `method` decides whether a body can follow.
 * Throws UnusualResponse for anything but the plain form: folded lines, other transfer codings,
 * conflicting lengths, a length beside a coding.
 */
export function parseHead(text: string, method: string): ResponseHead {
  const lines = text.split("\r\n");
  const start = STATUS_LINE.exec(lines[0]!);
  if (start === null) throw new UnusualResponse("the answer does not begin with an HTTP/1 status");
  const status = Number(start[2]);
  const headers = new Headers();
  for (let i = 1; i < lines.length; i += 1) addHeader(headers, lines[i]!);
  const connection = headers["connection"]?.toLowerCase();
  return {
    status,
    headers,
    framing: framingOf(status, headers, method),
    keepAlive:
      start[1] === "1"
        ? connection === undefined || !connection.includes("close")
        : connection === "keep-alive",
  };
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** Takes a connection's bytes as they come, up to the end of an answer's head. */
export class HeadReader {
  /** The start of a head that is still coming. */
  #start: Buffer | undefined;

  /**
   * The head, interim answers skipped, and the bytes behind it; undefined while it is unfinished.
   * Throws as `parseHead`.
   */
  feed(bytes: Buffer, method: string): { head: ResponseHead; rest: Buffer } | undefined {
    let all = this.#start === undefined ? bytes : Buffer.concat([this.#start, bytes]);
    this.#start = undefined;
    for (;;) {
      const end = all.indexOf(HEAD_END);
      if (end < 0 || end > HEAD_LIMIT) {
        if (all.length > HEAD_LIMIT) throw new UnusualResponse("the head is too long");
        this.#start = Buffer.from(all);
        return undefined;
      }
      const head = parseHead(all.toString("latin1", 0, end), method);
      const rest = all.subarray(end + 4);
      if (head.status >= 200) return { head, rest };
      all = rest;
    }
  }
}

/** Header names as they came, in lower case: a service spells the same few ones every time. */
const spelled = new Map<string, string>();

function lowerName(name: string): string {
  let lower = spelled.get(name);
  if (lower === undefined) {
    if (!TOKEN.test(name)) throw new UnusualResponse("a header line is malformed");
    lower = name.toLowerCase();
    if (spelled.size < 256) spelled.set(name, lower);
  }
  return lower;
}

function addHeader(headers: Record<string, string>, line: string): void {
  const key = lowerName(line.slice(0, Math.max(0, line.indexOf(":"))));
  const raw = line.slice(key.length + 1);
  const value = PLAIN.test(raw) ? raw.slice(1) : unusualValue(raw);
  const before = headers[key];
  if (before === undefined) headers[key] = value;
  else if (key !== "content-length") headers[key] = `${before}, ${value}`;
  else if (before !== value) throw new UnusualResponse("two different lengths are given");
}

function unusualValue(raw: string): string {
  const value = fromWire(raw.replaceAll(/^[ \t]+|[ \t]+$/g, ""));
  if (/[\r\n\0]/.test(value)) throw new UnusualResponse("a header value holds a control character");
  return value;
}

function framingOf(status: number, headers: Record<string, string>, method: string): Framing {
  const coding = headers["transfer-encoding"];
  const length = headers["content-length"];
  if (coding !== undefined) {
    if (length !== undefined) throw new UnusualResponse("a length stands beside a transfer coding");
    if (coding.toLowerCase() !== "chunked") throw new UnusualResponse("unknown transfer coding");
  }
  if (length !== undefined && !DIGITS.test(length)) {
    throw new UnusualResponse("the length is not a number");
  }
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) {
    return { type: "none" };
  }
  if (coding !== undefined) return { type: "chunked" };
  if (length !== undefined) return { type: "length", length: Number(length) };
  return { type: "close" };
}
