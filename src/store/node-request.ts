/** Node's incoming message as a plain request. */
import type { IncomingMessage } from "node:http";

import type { HttpRequest, RequestBody } from "../protocol/message.js";

/**
 * A request as it was on the wire. `onOpen` is called when the reading of its body begins.
 */
export function toRequest(req: IncomingMessage, onOpen: () => void): HttpRequest {
  const headers = readHeaders(req.rawHeaders);
  const encrypted = "encrypted" in req.socket;
  const url = req.url ?? "/";
  // A proxy's request names the whole URL (RFC 9112 §3.2.2).
  const target = /^https?:\/\//i.test(url) ? url.replace(/^[^/]*\/\/[^/?]*/, "") : url;
  const question = target.indexOf("?");
  return {
    method: req.method ?? "GET",
    origin: `${encrypted ? "https" : "http"}://${headers["host"] ?? "localhost"}`,
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? "" : target.slice(question + 1),
    headers,
    body: toBody(req, headers, onOpen),
  };
}

function toBody(
  req: IncomingMessage,
  headers: Readonly<Record<string, string>>,
  onOpen: () => void,
): RequestBody | undefined {
  const length = headers["content-length"];
  if (length === "0" || (length === undefined && headers["transfer-encoding"] === undefined)) {
    return undefined;
  }
  return {
    length: length === undefined ? undefined : Number(length),
    open: () => {
      onOpen();
      // Leaving early must not take the connection along: the refusal has yet to be sent.
      return req.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    },
  };
}

/** Headers by lower-case name; repeated ones joined, as they are for signing. */
function readHeaders(raw: readonly string[]): Record<string, string> {
  // A null prototype: a header may be called `__proto__`.
  const headers = Object.create(null) as Record<string, string>;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    const value = fromWire(raw[index + 1]!);
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return headers;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Node reads header bytes as Latin-1; clients that send more than ASCII send UTF-8. Bytes that are
 * not UTF-8 become lone surrogates, which no text has, so that they go back as the bytes they were.
 */
function fromWire(value: string): string {
  if (/^[\u0000-\u007f]*$/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value.replaceAll(/[\u0080-\u00ff]/g, (byte) =>
      String.fromCharCode(RAW | byte.charCodeAt(0)),
    );
  }
}

const RAW = 0xdc00;

/** The inverse of `fromWire`: bytes in the form Node writes headers from. */
export function toWire(value: string): string {
  if (/^[\u0000-\u007f]*$/.test(value)) return value;
  return value.replaceAll(/[^\u0000-\u007f]/gu, (character) =>
    /[\udc80-\udcff]/u.test(character)
      ? String.fromCharCode(character.charCodeAt(0) & 0xff)
      : Buffer.from(character, "utf8").toString("latin1"),
  );
}
