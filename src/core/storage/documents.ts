/** Small XML documents in requests and answers. */
import { createHash } from "node:crypto";

import { type HttpResponse, readAll } from "../../protocol/message.js";
import { type XmlContent, type XmlElement, parseXml, writeXml } from "../../protocol/xml.js";
import { type RequestSubject, errorFromBody, notS3 } from "../error-map.js";
import { AppError } from "../errors.js";
import type { RequestSpec, SignedClient } from "../http/client.js";

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

/**
 * Sends a request whose answer is an XML document. A copy and a completed upload may answer 200
 * and only then find out that they failed: such an `Error` document is thrown as any other.
 */
export async function requestDocument(
  client: SignedClient,
  spec: RequestSpec,
): Promise<{ document: XmlElement; response: HttpResponse }> {
  const response = await client.request(spec);
  // White space before the document kept the connection alive while the service worked.
  const text = (await readAll(response.body, LIMIT)).toString("utf8").trimStart();
  const about = subjectOf(client, spec);
  let document: XmlElement;
  try {
    document = parseXml(text, { size: LIMIT });
  } catch (error) {
    if (!text.startsWith("<?xml")) {
      throw notS3(about, response.status, response.headers["content-type"] ?? "no content type");
    }
    throw new AppError({
      kind: "unavailable",
      code: "InvalidResponse",
      message: `the answer to ${about.method} cannot be read: ${(error as Error).message}`,
      cause: error,
    });
  }
  if (document.name === "Error") {
    throw errorFromBody(response.status, response.headers, text, about);
  }
  return { document, response };
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
