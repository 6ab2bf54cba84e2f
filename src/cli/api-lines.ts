/** The raw request of `api`: from flags to a request, and from a request to something to read. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";

import { kindOf } from "../core/failures/words.js";
import { AppError, invalidArgument } from "../core/failures/errors.js";
import type { RequestSpec } from "../core/http/client.js";
import type { HttpRequest, HttpResponse, RequestBody } from "../protocol/message.js";
import { shellWord } from "../core/failures/shell-word.js";
import type { Remote } from "./locations.js";

export interface ApiFlags {
  readonly data?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly query?: readonly string[] | undefined;
}

/** The request that was asked for. Throws usage errors. */
export async function apiSpec(
  method: string,
  { bucket, key }: Remote,
  { data, header = [], query = [] }: ApiFlags,
): Promise<RequestSpec> {
  if (!/^[A-Za-z]+$/.test(method)) {
    throw invalidArgument(
      `"${method}" is not an HTTP method`,
      "the method comes first: pail api GET …",
    );
  }
  const headers = Object.fromEntries(header.map(parseHeader));
  const { body, md5 } = data === undefined ? {} : await readBody(data);
  const vouched = Object.keys(headers).some((name) => /^content-md5$|-checksum-/.test(name));
  return {
    method: method.toUpperCase(),
    bucket: bucket || undefined,
    key: key || undefined,
    // S3 wants a checksum on requests that set up a bucket; every dialect takes Content-MD5.
    headers: md5 === undefined || vouched ? headers : { ...headers, "content-md5": md5 },
    query: Object.fromEntries(query.map(parseQuery)),
    body,
  };
}

function parseHeader(text: string): [string, string] {
  const match = /^([\w!#$%&'*+.^`|~-]+)\s*[:=]\s*(.*)$/s.exec(text);
  if (match === null) throw invalidArgument(`"${text}" is not a header`, "write it as name=value");
  return [match[1]!.toLowerCase(), match[2]!];
}

function parseQuery(text: string): [string, string] {
  const cut = text.indexOf("=");
  return cut < 0 ? [text, ""] : [text.slice(0, cut), text.slice(cut + 1)];
}

/** The body, and its MD5 in base64. */
async function readBody(data: string): Promise<{ body: RequestBody; md5: string }> {
  const digest = createHash("md5");
  if (data.startsWith("@") && data !== "@-") {
    const path = data.slice(1);
    const { size } = await stat(path);
    for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
    const body = { length: size, open: () => createReadStream(path) };
    return { body, md5: digest.digest("base64") };
  }
  let body = Buffer.from(data);
  if (data === "@-") {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    body = Buffer.concat(chunks);
  }
  return { body, md5: digest.update(body).digest("base64") };
}

/** Request line and headers as on the wire, a session token left out. */
export function requestLines({ method, origin, path, query, headers }: HttpRequest): string[] {
  return [
    `${method} ${origin}${path}${query === "" ? "" : `?${query}`}`,
    ...Object.entries(shownHeaders(headers)).map(([name, value]) => `${name}: ${value}`),
  ];
}

// A session token is half of a credential, so it is named, not shown.
const TOKEN = /-security-token$/;

/** Headers without the session token. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      TOKEN.test(name) ? "$AWS_SESSION_TOKEN" : value,
    ]),
  );
}

/** A curl command that sends this very request; good for as long as its signature is. */
export function curlCommand(request: HttpRequest, data: string | undefined): string {
  const { method, origin, path, query } = request;
  const url = `${origin}${path}${query === "" ? "" : `?${query}`}`;
  const { host } = new URL(origin);
  const words = [
    method === "HEAD" ? "curl --head" : `curl -X ${method}`,
    // Without it curl resolves `/./` and `/../`, which are parts of a key here.
    "--path-as-is",
    ...Object.entries(request.headers)
      .filter(([name, value]) => name !== "content-length" && !(name === "host" && value === host))
      .map(([name, value]) =>
        TOKEN.test(name)
          ? `-H "${name}: $AWS_SESSION_TOKEN"`
          : `-H ${shellWord(`${name}: ${value}`)}`,
      ),
    ...(data === undefined ? [] : [`--data-binary ${shellWord(data)}`]),
    shellWord(url),
  ];
  return words.join(" \\\n  ");
}

/** Status and headers of an answer, and an empty line. */
export function responseHead({ status, headers }: HttpResponse): string[] {
  return [
    `HTTP ${status}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
  ];
}

/** A body for `--json`: text where it is text, base64 otherwise. */
export function bodyRecord(body: Buffer): { body: string } | { bodyBase64: string } {
  const text = body.toString("utf8");
  return Buffer.from(text).equals(body) ? { body: text } : { bodyBase64: body.toString("base64") };
}

/** The exit code for a status: 0 below 400, otherwise that of the failure it stands for. */
export function exitCodeOf(status: number): number {
  if (status < 400) return 0;
  const kind = kindOf(`Http${status}`, status);
  return new AppError({ kind, code: "", message: "" }).exitCode;
}
