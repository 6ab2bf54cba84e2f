/**
 * Turns whatever failed (an S3 answer, an SDK exception, a socket, a file) into an AppError that
 * says what failed, to what, and what to do. Secrets and signatures never enter a message.
 */
import type { HttpResponse } from "../../protocol/message.js";
import { type XmlElement, childText, parseXml } from "../../protocol/xml.js";
import { codeOfStatus, factsOfAnswer } from "./codes.js";
import { AppError, interrupted, isAppError, usageError } from "./errors.js";
import { codedCause, systemError } from "./system.js";
import { type RequestSubject, hintFor, kindOf, messageFor, subjectText } from "./words.js";

export type { RequestSubject } from "./words.js";

/** Bytes of an error answer that are read; S3's own are below 2 KiB. */
export const ERROR_BODY_LIMIT = 64 * 1024;

/** The fields of an S3 error document. */
export interface ServiceError {
  readonly code: string;
  readonly message: string;
  readonly region?: string | undefined;
  /** Host a redirect names. */
  readonly endpoint?: string | undefined;
  readonly requestId?: string | undefined;
}

/**
 * Any caught value as an AppError. `doing` says what was being done, without a final full stop:
 * `uploading ./a.txt`.
 */
export function toAppError(error: unknown, doing?: string): AppError {
  if (isAppError(error)) return error;
  const prefix = doing === undefined ? "" : `${doing}: `;
  if (!(error instanceof Error)) {
    return new AppError({
      kind: "bug",
      code: "Bug",
      message: prefix + String(error),
      cause: error,
    });
  }
  if (error.name === "AbortError") return interrupted();
  if (error.name === "TimeoutError") {
    const message = `${prefix}timed out`;
    return new AppError({ kind: "unavailable", code: "Timeout", message, cause: error });
  }
  return sdkError(error, prefix) ?? systemError(error, prefix) ?? bug(error, prefix);
}

function bug(error: Error, prefix: string): AppError {
  const message = `${prefix}${error.message || error.name}`;
  return new AppError({ kind: "bug", code: "Bug", message, cause: error });
}

/** The reason that an operation was aborted: an AppError of the caller's, or a mere interruption. */
export function abortError(signal: AbortSignal): AppError {
  const { reason } = signal as { reason: unknown };
  if (isAppError(reason)) return reason;
  return reason instanceof Error && reason.name === "TimeoutError"
    ? toAppError(reason)
    : interrupted();
}

/** The SDK marks its exceptions with `$metadata`; their name is the service's code. */
function sdkError(error: Error, prefix: string): AppError | undefined {
  if (!("$metadata" in error)) return undefined;
  const metadata = error.$metadata as { httpStatusCode?: number; requestId?: string } | undefined;
  const status = metadata?.httpStatusCode;
  // An exception the SDK could not name keeps its class's name, or a bare `Error`.
  const foreign = error.message.includes("Deserialization error");
  const code = foreign
    ? "NotS3Answer"
    : /^(?:Error|Unknown|UnknownError|S3ServiceException|\d+)?$/.test(error.name)
      ? codeOfStatus(status ?? 0)
      : error.name;
  // The SDK's placeholder for an empty message.
  const said = foreign
    ? `the service answered ${status}, not in S3's words`
    : error.message === "UnknownError"
      ? ""
      : error.message;
  return new AppError({
    kind: kindOf(code, status),
    code,
    message: `${prefix}${said || code}`,
    details: details(status, metadata?.requestId),
    cause: error,
  });
}

/** The AppError for an answer that is not a success. Reads the body. */
export async function errorFromResponse(
  response: HttpResponse,
  about: RequestSubject,
): Promise<AppError> {
  const body = await readStart(response.body, ERROR_BODY_LIMIT);
  return errorFromBody(response.status, response.headers, body.toString("utf8"), about);
}

/**
 * The AppError for an answer whose body is at hand. S3 also answers a finished copy or multipart
 * upload with status 200 and an error document: pass that document here.
 */
export function errorFromBody(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  about: RequestSubject,
): AppError {
  if (status >= 300 && status < 400 && headers["location"] !== undefined) {
    return redirected(status, headers["location"], about);
  }
  const said = parseServiceError(body) ?? errorFromHeaders(headers);
  if (said === undefined && body.trim() !== "") return foreignAnswer(status, headers, body, about);
  const { code, message, requestId } = said ?? { code: codeOfStatus(status, about), message: "" };
  return new AppError({
    kind: kindOf(code, status, message),
    code,
    message: messageFor(code, message, status, about),
    hint: hintFor(code, message, about),
    details: details(status, requestId ?? headers["x-amz-request-id"]),
  });
}

/** The fields of an error document; undefined when the text is not one. */
export function parseServiceError(body: string): ServiceError | undefined {
  if (!body.includes("<Error")) return undefined;
  let root: XmlElement;
  try {
    root = parseXml(body);
  } catch {
    return undefined; // Not XML, hence not S3's.
  }
  const code = childText(root, "Code")?.trim();
  if (root.name !== "Error" || !code) return undefined;
  return {
    code,
    message: childText(root, "Message")?.trim() ?? "",
    region: childText(root, "Region")?.trim() || undefined,
    endpoint: childText(root, "Endpoint")?.trim() || undefined,
    requestId: childText(root, "RequestId")?.trim() || undefined,
  };
}

/** An answer to HEAD has no body; some servers name the error in a header. */
function errorFromHeaders(headers: Readonly<Record<string, string>>): ServiceError | undefined {
  const code = headers["x-amz-error-code"] ?? headers["x-minio-error-code"];
  if (!code) return undefined;
  const message = headers["x-amz-error-message"] ?? headers["x-minio-error-desc"] ?? "";
  return { code, message: message.replaceAll(/^"|"$/g, "") };
}

/** A body that is not an S3 error document: a proxy in front, or not an S3 service at all. */
function foreignAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  about: RequestSubject,
): AppError {
  const type = headers["content-type"]?.split(";")[0] ?? "no content type";
  if (factsOfAnswer("", status).kind === "unavailable") {
    const code = codeOfStatus(status, about);
    const message = `${subjectText(about)}: ${about.endpoint} answered ${status}, not in S3's words (${type})`;
    return new AppError({ kind: "unavailable", code, message, details: details(status) });
  }
  if (/HTTP request (?:was sent )?to (?:an )?HTTPS (?:server|port)/i.test(body)) {
    return speaksTls(about.endpoint);
  }
  return notS3(about, status, type);
}

/** A redirect that leads away from the service: a signature is made for one host only. */
function redirected(status: number, location: string, about: RequestSubject): AppError {
  const target = URL.canParse(location, about.endpoint)
    ? new URL(location, about.endpoint)
    : undefined;
  // A query may carry somebody's token.
  const place = target === undefined ? "another place" : target.origin + target.pathname;
  return new AppError({
    kind: "usage",
    code: "Redirected",
    message: `${about.endpoint} redirects to ${place}; signed requests do not follow`,
    hint:
      target && `if that is the service: pail alias set ${about.alias ?? "NAME"} ${target.origin}`,
    details: details(status),
  });
}

/** For an endpoint that answers, but not as S3 does. */
export function notS3(about: RequestSubject, status: number, type: string): AppError {
  return new AppError({
    kind: "usage",
    code: "NotS3",
    message: `${about.endpoint} is not an S3 endpoint: it answered ${about.method} with ${status} and ${type}`,
    hint: `give the service's API address, not its console's: pail alias set ${about.alias ?? "NAME"} URL`,
    details: details(status),
  });
}

/**
 * For a success in words that are not S3's: a portal, a login page, a gateway. Nothing may be taken
 * for done, and the text of such a page is not repeated.
 */
export function notS3Answer(about: RequestSubject, status: number, why: string): AppError {
  return new AppError({
    kind: "unavailable",
    code: "NotS3Answer",
    message: `${subjectText(about)}: ${about.endpoint} answered ${about.method} with ${status}, but not as S3 does: ${why}`,
    hint: "something between may have answered instead, such as a login page",
    details: details(status),
  });
}

/** The AppError for a connection to an endpoint that failed, before or in the middle of an answer. */
export function connectionError(error: unknown, endpoint: string): AppError {
  if (isAppError(error)) return error;
  const code = codedCause(error)?.code ?? "";
  const secure = endpoint.startsWith("https:");
  // A TLS server answers plain text with an alert record, which is not HTTP.
  if (!secure && code === "HPE_INVALID_CONSTANT") return speaksTls(endpoint);
  return toAppError(error, endpoint);
}

/**
 * For an endpoint that speaks TLS when `http` was given. There is no such error for the other way
 * round: an answer that is not understood as TLS may be an old version of it, and no hint should
 * tell a person to send signed requests in the clear.
 */
export function speaksTls(endpoint: string): AppError {
  return usageError(
    "WrongScheme",
    `${endpoint} speaks TLS, not plain HTTP`,
    `use ${endpoint.replace(/^http:/, "https:")} in pail alias set`,
  );
}

function details(status?: number, requestId?: string): Record<string, string | number> {
  return {
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** The first `limit` bytes of a body; what is more is left. */
export async function readStart(body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let room = limit;
  for await (const chunk of body) {
    parts.push(Buffer.from(chunk.subarray(0, room)));
    room -= chunk.length;
    if (room <= 0) break;
  }
  return Buffer.concat(parts);
}
