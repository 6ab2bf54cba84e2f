/** Small XML documents in requests and answers. */
import { createHash } from "node:crypto";

import { type HttpResponse, readAll } from "../../protocol/message.js";
import { type XmlContent, type XmlElement, parseXml, writeXml } from "../../protocol/xml.js";
import { type RequestSubject, errorFromBody, notS3 } from "../failures/map.js";
import { AppError } from "../failures/errors.js";
import type { RequestSpec, SignedClient } from "../http/client.js";
import { type Failure, delayBefore, judgeAnswer, judgeError, pause } from "../http/retry.js";

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
const LIMIT = 16 * 1024 * 1024;

/** What a request was about, for messages. */
export interface About {
  readonly method: string;
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
}

/** The same, with the endpoint that was asked. */
export function subjectOf(client: SignedClient, { method, bucket, key }: About): RequestSubject {
  return { method, bucket, key, endpoint: client.endpoint.origin };
}

export interface Answer {
  readonly document: XmlElement;
  readonly response: HttpResponse;
}

/** Tries in all of a request that fails after its answer began. */
const LATE_TRIES = 3;

/**
 * Sends a request and reads its answer whole, at most `limit` bytes of UTF-8. An answer that breaks
 * off is asked for again where any other failure of the connection would be.
 */
export async function requestText(
  client: SignedClient,
  spec: RequestSpec,
  limit = LIMIT,
): Promise<{ readonly text: string; readonly response: HttpResponse }> {
  for (let attempt = 1; ; attempt++) {
    const response = await client.request(spec);
    try {
      return { text: (await readAll(response.body, limit)).toString("utf8"), response };
    } catch (error) {
      const failure = judgeError(error);
      const repeatable = failure.retry !== "never" && isIdempotent(spec);
      if (!repeatable || attempt >= client.maxAttempts) throw error;
      await beforeRepeat(spec, attempt, failure);
    }
  }
}

function isIdempotent({ idempotent, method }: RequestSpec): boolean {
  return idempotent ?? method !== "POST";
}

async function beforeRepeat(spec: RequestSpec, attempt: number, failure: Failure): Promise<void> {
  const delayMs = delayBefore(attempt, failure, Math.random);
  spec.onRetry?.({ attempt, delayMs, code: failure.code, throttled: failure.throttled });
  await pause(delayMs, spec.signal);
}

/**
 * Sends a request whose answer is an XML document. A copy and a completed upload may answer 200
 * and only then find out that they failed: such an `Error` document is thrown as any other, after
 * the repeats that any other would have had.
 */
export async function requestDocument(client: SignedClient, spec: RequestSpec): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const { text: padded, response } = await requestText(client, spec);
    // White space before the document kept the connection alive while the service worked.
    const text = padded.trimStart();
    const document = parseAnswer(client, spec, response, text);
    if (document.name !== "Error") return { document, response };

    const error = errorFromBody(response.status, response.headers, text, subjectOf(client, spec));
    const failure = judgeAnswer(response.status, error.code, undefined, 0);
    const repeatable =
      failure.retry === "unprocessed" || (failure.retry === "idempotent" && isIdempotent(spec));
    if (!repeatable || attempt === LATE_TRIES) throw error;
    await beforeRepeat(spec, attempt, failure);
  }
}

function parseAnswer(
  client: SignedClient,
  spec: RequestSpec,
  { status, headers }: HttpResponse,
  text: string,
): XmlElement {
  try {
    return parseXml(text, { size: LIMIT });
  } catch (error) {
    if (!text.startsWith("<?xml")) {
      throw notS3(subjectOf(client, spec), status, headers["content-type"] ?? "no content type");
    }
    throw new AppError({
      kind: "unavailable",
      code: "InvalidResponse",
      message: `the answer to ${spec.method} cannot be read: ${(error as Error).message}`,
      cause: error,
    });
  }
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
