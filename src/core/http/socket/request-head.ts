/** Writing the head of an HTTP/1.1 request (RFC 9112 §3). */
import type { HttpRequest } from "../../../protocol/message.js";

// Anything else could end the line early, or has no one-byte form.
const TARGET = /^[\x21-\x7e]+$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\uffff]*$/;

/**
 * The request line and headers as they go out, closed by an empty line; adds Host and
 * Content-Length where they are missing. To be sent as UTF-8, which is what S3's header values are.
 * Throws a TypeError for what would not survive the wire, with Node's code where it is a header.
 */
export function requestHead(request: HttpRequest): string {
  const { method, path, query, headers, body } = request;
  const target = query === "" ? path : `${path}?${query}`;
  if (!TARGET.test(target)) throw new TypeError("the request's path is not percent-encoded");
  let head = `${method} ${target} HTTP/1.1\r\n`;
  if (headers["host"] === undefined) head += `host: ${new URL(request.origin).host}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!NAME.test(name) || !VALUE.test(value)) {
      const message = `the header ${JSON.stringify(name)} holds characters HTTP cannot carry`;
      throw Object.assign(new TypeError(message), { code: "ERR_INVALID_CHAR" });
    }
    head += `${name}: ${value}\r\n`;
  }
  if (headers["content-length"] === undefined) {
    const length = body?.length ?? 0;
    if (length > 0 || method === "PUT" || method === "POST")
      head += `content-length: ${length}\r\n`;
  }
  return `${head}\r\n`;
}
