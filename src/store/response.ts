/** Responses as plain values. */
import type { HttpResponse } from "../protocol/message.js";
import { writeXml, type XmlContent } from "../protocol/xml.js";

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

/** A response of one piece. */
export function respond(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = "",
): HttpResponse {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  // These statuses have no body, and a length would announce one (RFC 9110 §8.6).
  const bare = status === 204 || status === 304;
  return {
    status,
    headers: bare ? headers : { "content-length": String(bytes.length), ...headers },
    ...inOnePiece(bytes),
  };
}

/** A body that is there as soon as the head. */
export function inOnePiece(bytes: Uint8Array): Pick<HttpResponse, "body" | "bytes"> {
  return { body: once(bytes), bytes };
}

/** A 200 with a document of S3's namespace. */
export function respondXml(
  root: string,
  content: XmlContent,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const document = writeXml(root, content, NAMESPACE);
  return respond(200, { "content-type": "application/xml", ...headers }, document);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
