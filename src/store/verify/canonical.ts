/**
 * The canonical request of Signature V4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html), from the
 * request as it was on the wire.
 */
import type { HttpRequest } from "../../protocol/message.js";
import { decodeBytes, encodeBytes } from "../uri.js";

export interface CanonicalInput {
  readonly request: HttpRequest;
  /** Lower-case, in the order they were signed. */
  readonly signedHeaders: readonly string[];
  readonly payloadHash: string;
  /** The raw name of the query parameter that carries the signature, which it cannot cover. */
  readonly omit?: string | undefined;
}

/** The text that is hashed into the string to sign. */
export function canonicalRequest(input: CanonicalInput): string {
  const { request, signedHeaders, payloadHash, omit } = input;
  const headers = signedHeaders.map((name) => `${name}:${headerValue(request, name)}\n`);
  return [
    request.method,
    canonicalPath(request.path),
    canonicalQuery(request.query, omit),
    headers.join(""),
    signedHeaders.join(";"),
    payloadHash,
  ].join("\n");
}

/** A header's value as signed: trimmed, runs of white space reduced to one. */
function headerValue(request: HttpRequest, name: string): string {
  const value = headerOf(request, name) ?? "";
  // Bytes that are not UTF-8 (node-request.ts) were signed as the Latin-1 they are.
  const text = value.replaceAll(/[\udc80-\udcff]/gu, (byte) =>
    String.fromCharCode(byte.charCodeAt(0) & 0xff),
  );
  return text.trim().replaceAll(/\s+/g, " ");
}

/** A header of the request; the host of an in-process request is in its origin. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  // Names come from strangers, and `constructor` is no header.
  const value = Object.hasOwn(request.headers, name) ? request.headers[name] : undefined;
  return value === undefined && name === "host" ? new URL(request.origin).host : value;
}

/**
 * The path with each segment encoded once, and nothing normalized. A slash that came encoded stays
 * encoded: the client that wrote it signed it so.
 */
function canonicalPath(path: string): string {
  if (/^[A-Za-z0-9\-._~/]*$/.test(path)) return path;
  return path
    .split("/")
    .map((segment) => encodeBytes(decodeBytes(segment)))
    .join("/");
}

/** The parameters encoded once and sorted by the bytes of their encoded names, then values. */
function canonicalQuery(query: string, omit: string | undefined): string {
  if (query === "") return "";
  const parameters: string[] = [];
  for (const parameter of query.split("&")) {
    if (parameter === "") continue;
    const [name, value] = splitParameter(parameter);
    if (name === omit) continue;
    parameters.push(`${recode(name)}=${recode(value)}`);
  }
  return parameters.sort(byNameThenValue).join("&");
}

/** Splits `name=value` at the first `=`; a parameter without one has the empty value. */
export function splitParameter(parameter: string): [name: string, value: string] {
  const at = parameter.indexOf("=");
  return at < 0 ? [parameter, ""] : [parameter.slice(0, at), parameter.slice(at + 1)];
}

function recode(text: string): string {
  return encodeBytes(decodeBytes(text.replaceAll("+", "%20")));
}

// Encoded text is ASCII, so comparing UTF-16 units compares bytes. The name must be compared
// alone: `=` sorts after the digits and `-` that may continue a longer name.
function byNameThenValue(a: string, b: string): number {
  const [aName, aValue] = splitParameter(a);
  const [bName, bValue] = splitParameter(b);
  if (aName !== bName) return aName < bName ? -1 : 1;
  return aValue < bValue ? -1 : Number(aValue > bValue);
}
