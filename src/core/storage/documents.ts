/** Small XML documents in requests and answers, and answers that have no document. */
import { createHash } from "node:crypto";

import {
  type Borrowed,
  type HttpResponse,
  readBorrowed,
  takeText,
} from "../../protocol/message.js";
import {
  type XmlContent,
  type XmlElement,
  childText,
  parseXml,
  writeXml,
} from "../../protocol/xml.js";
import { AppError } from "../failures/errors.js";
import {
  ERROR_BODY_LIMIT,
  errorFromBody,
  notS3,
  notS3Answer,
  parseServiceError,
  readStart,
} from "../failures/map.js";
import type { RequestSpec, SignedClient } from "../http/client.js";

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
const LIMIT = 16 * 1024 * 1024;

export interface Answer {
  readonly document: XmlElement;
  readonly response: HttpResponse;
}

/**
 * Sends a request and reads its answer whole, at most `limit` bytes. An answer that breaks off, or
 * that `read` cannot take for a reason that may pass, is asked for again within the request's tries.
 */
export async function requestBytes<T>(
  client: SignedClient,
  spec: RequestSpec,
  read: (body: Borrowed, response: HttpResponse) => T,
  limit = LIMIT,
): Promise<T> {
  let result: T | undefined;
  await client.request(spec, async (response) => {
    let body: Borrowed;
    try {
      body = await readBorrowed(response.body, limit);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw notS3Answer(client.subject(spec), response.status, `it is longer than ${limit} bytes`);
    }
    result = read(body, response);
  });
  return result as T;
}

/**
 * Sends a request whose answer is an XML document with one of these roots, the first being S3's own,
 * and in it `required`. Throws NotS3Answer for anything else, NotS3 where it may be the first word of
 * a wrong address. A copy and a completed upload may answer 200 and only then find out that they
 * failed: such an `Error` document is thrown as any other.
 */
export function requestDocument(
  client: SignedClient,
  spec: RequestSpec,
  roots: string | readonly [string, ...string[]],
  required?: string,
): Promise<Answer> {
  const [root, ...others] = [roots].flat();
  return requestBytes(client, spec, (body, response) => {
    // White space before the document kept the connection alive while the service worked.
    const text = takeText(body).trimStart();
    const document = parseAnswer(client, spec, response, text);
    if (document.name === root || others.includes(document.name)) {
      if (required === undefined || childText(document, required)) return { document, response };
      throw notS3Answer(client.subject(spec), response.status, `it has no ${required}`);
    }
    throw document.name === "Error"
      ? errorFromBody(response.status, response.headers, text, client.subject(spec))
      : strange(client, spec, response, text, `<${document.name}> instead of <${root}>`);
  });
}

/**
 * Sends a request whose answer has nothing to say but that it is done, perhaps in the header
 * `required`. A success that says anything else does not count: throws NotS3Answer.
 */
export function requestDone(
  client: SignedClient,
  spec: RequestSpec,
  required?: string,
): Promise<HttpResponse> {
  return client.request(spec, (response) => {
    const { status, headers, bytes } = response;
    const check = (body: string) => {
      if (parseServiceError(body) !== undefined) {
        throw errorFromBody(status, headers, body, client.subject(spec));
      }
      if (body.trim() !== "" && !isService(body)) {
        throw notS3Answer(client.subject(spec), status, typeOf(response));
      }
      if (required === undefined || headers[required]) return;
      throw notS3Answer(client.subject(spec), status, `it has no ${required}`);
    };
    if (bytes?.length === 0) return check("");
    return readStart(response.body, ERROR_BODY_LIMIT).then((body) => check(body.toString()));
  });
}

function parseAnswer(
  client: SignedClient,
  spec: RequestSpec,
  response: HttpResponse,
  text: string,
): XmlElement {
  try {
    return parseXml(text, { size: LIMIT });
  } catch (error) {
    if (!text.startsWith("<?xml")) throw strange(client, spec, response, text, typeOf(response));
    throw new AppError({
      kind: "unavailable",
      code: "InvalidResponse",
      message: `the answer to ${spec.method} cannot be read: ${(error as Error).message}`,
      cause: error,
    });
  }
}

/**
 * The error for a success that does not answer the question. A page in answer to a listing is most
 * often a console's address given for the service's; XML of another kind is a service that does not
 * know the question (`?versions`, `?uploads`) and answers another.
 */
export function strange(
  client: SignedClient,
  spec: RequestSpec,
  response: HttpResponse,
  text: string,
  why: string,
): AppError {
  const about = client.subject(spec);
  const isListing = spec.method === "GET" && spec.key === undefined;
  const asksMore = spec.query?.["versions"] !== undefined || spec.query?.["uploads"] !== undefined;
  if (isListing && asksMore && (text === "" || isService(text))) {
    const body = "<Error><Code>NotImplemented</Code></Error>";
    return errorFromBody(501, {}, body, about);
  }
  return isListing
    ? notS3(about, response.status, typeOf(response))
    : notS3Answer(about, response.status, why);
}

/** Whether a text is a document of a service: XML whose root is spelled as S3's are, and no page. */
function isService(text: string): boolean {
  try {
    const { name } = parseXml(text.trimStart(), { size: LIMIT });
    return /^[A-Z]/.test(name) && name.toLowerCase() !== "html";
  } catch {
    return false; // Not XML, hence not S3's.
  }
}

function typeOf({ headers }: HttpResponse): string {
  return headers["content-type"] ?? "no content type";
}

/** A request body with what S3 wants beside it: its type and its MD5. */
export function xmlRequest(
  root: string,
  content: XmlContent,
): { body: Uint8Array; headers: Record<string, string> } {
  const body = Buffer.from(writeXml(root, content, NAMESPACE), "utf8");
  return {
    body,
    headers: {
      "content-type": "application/xml",
      "content-md5": createHash("md5").update(body).digest("base64"),
    },
  };
}
