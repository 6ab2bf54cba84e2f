/** The claims of a request about itself: who signed it, when, over which headers. */
import { algorithmOf, type Dialect, vendorHeader } from "../../protocol/dialect.js";
import type { HttpRequest } from "../../protocol/message.js";
import { type Code, refuse } from "../refuse.js";
import { decodeText } from "../uri.js";
import { splitParameter } from "./canonical.js";
import { parseScope, type CredentialScope, type ScopeRules } from "./scope.js";
import { checkSkew, formatTimestamp, parseTimestamp } from "./time.js";

export interface Claim {
  readonly scope: CredentialScope;
  /** `20130524T000000Z`, as signed. */
  readonly timestamp: string;
  /** Lower-case, sorted. */
  readonly signedHeaders: readonly string[];
  /** Hex. */
  readonly signature: string;
  readonly payloadHash: string;
  /** Session token. */
  readonly token?: string | undefined;
  /** Raw name of the query parameter that carries the signature. */
  readonly omit?: string | undefined;
}

interface ClaimRules extends ScopeRules {
  readonly now: () => number;
}

const MAX_EXPIRES_S = 7 * 24 * 60 * 60;
const MAX_SKEW_S = 15 * 60;

/** Reads the claim from `Authorization` or from the query; undefined where there is none. */
export function claimOf(request: HttpRequest, rules: ClaimRules): Claim | undefined {
  const authorization = request.headers["authorization"];
  const query = presignedParameters(request, rules.dialect);
  const presigned = query.has("algorithm") || query.has("signature");
  if (authorization !== undefined && presigned) {
    throw refuse("InvalidArgument", "Only one auth mechanism allowed.", {
      ArgumentName: "Authorization",
    });
  }
  if (presigned) return queryClaim(request, query, rules);
  if (authorization === undefined || authorization === "") return undefined;
  return headerClaim(request, authorization, rules);
}

function headerClaim(request: HttpRequest, authorization: string, rules: ClaimRules): Claim {
  const { dialect } = rules;
  const code = "AuthorizationHeaderMalformed";
  const space = authorization.indexOf(" ");
  const scheme = space < 0 ? authorization : authorization.slice(0, space);
  if (scheme !== algorithmOf(dialect)) throw unsupportedScheme(scheme, dialect);

  const fields = new Map(
    authorization
      .slice(space + 1)
      .split(",")
      .map((field) => splitParameter(field.trim())),
  );
  const required = (name: string): string => {
    const value = fields.get(name);
    if (value) return value;
    throw refuse(code, `The authorization header is malformed; it has no ${name}.`);
  };
  const scope = parseScope(required("Credential"), rules, code);
  const signedHeaders = parseSignedHeaders(required("SignedHeaders"), code);
  const signature = required("Signature");
  const time = requestTime(request, dialect);
  checkSkew(time, rules.now());
  const timestamp = checkDay(scope, formatTimestamp(time), code);

  const name = vendorHeader(dialect, "content-sha256");
  const payloadHash = request.headers[name];
  if (payloadHash === undefined) {
    throw refuse("InvalidRequest", `Missing required header for this request: ${name}`);
  }
  return {
    scope,
    timestamp,
    signedHeaders,
    signature,
    payloadHash: checkPayloadHash(payloadHash, name, dialect),
    token: request.headers[vendorHeader(dialect, "security-token")],
  };
}

function queryClaim(
  request: HttpRequest,
  query: ReadonlyMap<string, PresignedParameter>,
  rules: ClaimRules,
): Claim {
  const { dialect } = rules;
  const code = "AuthorizationQueryParametersError";
  const required = (name: string): string => {
    const value = query.get(name)?.value;
    if (value) return value;
    throw refuse(code, `A presigned request must have the query parameter ${name}.`);
  };
  if (required("algorithm") !== algorithmOf(dialect)) {
    throw refuse(code, `The algorithm must be ${algorithmOf(dialect)}.`);
  }
  const scope = parseScope(required("credential"), rules, code);
  const signedHeaders = parseSignedHeaders(required("signedheaders"), code);
  const signature = required("signature");
  const timestamp = checkDay(scope, required("date"), code);
  checkExpiry(timestamp, required("expires"), rules.now());

  const name = vendorHeader(dialect, "content-sha256");
  const payloadHash = request.headers[name] ?? query.get("content-sha256")?.value;
  return {
    scope,
    timestamp,
    signedHeaders,
    signature,
    payloadHash: checkPayloadHash(payloadHash ?? "UNSIGNED-PAYLOAD", name, dialect),
    token: query.get("security-token")?.value,
    omit: query.get("signature")!.rawName,
  };
}

interface PresignedParameter {
  readonly rawName: string;
  readonly value: string;
}

/** The vendor parameters of the query by lower-case name without `x-<infix>-`. */
function presignedParameters(
  request: HttpRequest,
  dialect: Dialect,
): ReadonlyMap<string, PresignedParameter> {
  const prefix = vendorHeader(dialect, "");
  const parameters = new Map<string, PresignedParameter>();
  if (!request.query.toLowerCase().includes(prefix)) return parameters;
  for (const parameter of request.query.split("&")) {
    const [rawName, value] = splitParameter(parameter);
    const name = rawName.toLowerCase();
    if (!name.startsWith(prefix)) continue;
    const short = name.slice(prefix.length);
    if (parameters.has(short)) {
      throw refuse("AuthorizationQueryParametersError", `${rawName} is given more than once.`);
    }
    parameters.set(short, { rawName, value: decodeText(value) });
  }
  return parameters;
}

function unsupportedScheme(scheme: string, dialect: Dialect): Error {
  if (scheme === "AWS" || scheme.endsWith("-HMAC-SHA256")) {
    return refuse(
      "InvalidRequest",
      `The authorization mechanism you have provided is not supported. Please use ${algorithmOf(dialect)}.`,
    );
  }
  return refuse("InvalidArgument", "Unsupported Authorization Type", {
    ArgumentName: "Authorization",
    ArgumentValue: scheme,
  });
}

function parseSignedHeaders(text: string, code: Code): string[] {
  const names = text.split(";");
  if (names.some((name) => name === "" || name !== name.toLowerCase())) {
    throw refuse(code, "SignedHeaders must be lower-case names separated by semicolons.");
  }
  return names;
}

/** The time of the request: the vendor's date header, or `Date` where there is none. */
function requestTime(request: HttpRequest, dialect: Dialect): number {
  const name = vendorHeader(dialect, "date");
  const text = request.headers[name] ?? request.headers["date"];
  const time = text === undefined ? undefined : (parseTimestamp(text) ?? Date.parse(text));
  if (time !== undefined && !Number.isNaN(time)) return time;
  throw refuse("AccessDenied", `The request must have a valid Date or ${name} header.`);
}

function checkDay(scope: CredentialScope, timestamp: string, code: Code): string {
  if (parseTimestamp(timestamp) !== undefined && timestamp.startsWith(`${scope.date}T`)) {
    return timestamp;
  }
  throw refuse(
    code,
    `The credential's date "${scope.date}" is not the day of the request's date "${timestamp}".`,
  );
}

function checkExpiry(timestamp: string, expires: string, now: number): void {
  const seconds = /^\d{1,10}$/.test(expires) ? Number(expires) : Number.NaN;
  if (!(seconds >= 1 && seconds <= MAX_EXPIRES_S)) {
    throw refuse(
      "AuthorizationQueryParametersError",
      `Expires must be between 1 and ${MAX_EXPIRES_S} seconds (seven days).`,
    );
  }
  const signedAt = parseTimestamp(timestamp)!;
  if (now > signedAt + seconds * 1000) {
    throw refuse("AccessDenied", "Request has expired", {
      Expires: new Date(signedAt + seconds * 1000).toISOString(),
      ServerTime: new Date(now).toISOString(),
    });
  }
  if (signedAt > now + MAX_SKEW_S * 1000) {
    throw refuse("AccessDenied", "Request is not yet valid", {
      ServerTime: new Date(now).toISOString(),
    });
  }
}

/** How the body of a request that nobody signed comes: whole, or in chunks without signatures. */
export function unsignedPayload(request: HttpRequest, { dialect }: ClaimRules): string {
  const name = vendorHeader(dialect, "content-sha256");
  const value = checkPayloadHash(request.headers[name] ?? "UNSIGNED-PAYLOAD", name, dialect);
  if (!/^STREAMING-(?!UNSIGNED-)/.test(value)) return value;
  throw refuse("InvalidRequest", "A request without a signature has no signed chunks.");
}

function checkPayloadHash(value: string, header: string, dialect: Dialect): string {
  const known =
    value === "UNSIGNED-PAYLOAD" ||
    value === "STREAMING-UNSIGNED-PAYLOAD-TRAILER" ||
    value === `STREAMING-${algorithmOf(dialect)}-PAYLOAD` ||
    value === `STREAMING-${algorithmOf(dialect)}-PAYLOAD-TRAILER` ||
    /^[\da-f]{64}$/.test(value);
  if (known) return value;
  throw refuse(
    "InvalidArgument",
    `${header} must be UNSIGNED-PAYLOAD, a STREAMING value of this store's scheme, or a valid sha256 value.`,
    { ArgumentName: header, ArgumentValue: value },
  );
}
