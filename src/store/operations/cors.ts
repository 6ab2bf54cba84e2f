/**
 * CORS: which pages of other origins may ask for what
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html).
 */
import type { HttpResponse } from "../../protocol/message.js";
import { childText, childrenOf, type XmlElement } from "../../protocol/xml.js";
import { matchesWildcard } from "../access/wildcard.js";
import type { CorsRule } from "../records.js";
import type { Backend } from "../disk/index.js";
import { StoreError } from "../errors.js";
import { refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, requireXml, settingOf } from "./call.js";

const METHODS = new Set(["GET", "PUT", "HEAD", "POST", "DELETE"]);
const MAX_RULES = 100;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketCors.html */
export async function getCors(call: Call): Promise<HttpResponse> {
  const rules = await settingOf(call, "cors", "NoSuchCORSConfiguration");
  return respondXml("CORSConfiguration", {
    CORSRule: rules.map((rule) => ({
      ID: rule.id,
      AllowedOrigin: rule.origins,
      AllowedMethod: rule.methods,
      AllowedHeader: rule.headers,
      ExposeHeader: rule.exposed,
      MaxAgeSeconds: rule.maxAge,
    })),
  });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html */
export async function putCors(call: Call): Promise<HttpResponse> {
  const document = await requireXml(call, "CORSConfiguration");
  const cors = childrenOf(document, "CORSRule").map(parseRule);
  if (cors.length === 0 || cors.length > MAX_RULES) throw refuse("MalformedXML");
  await call.backend.updateBucket(bucketOf(call), { settings: { cors } });
  return respond(200);
}

function parseRule(element: XmlElement): CorsRule {
  const texts = (name: string) => childrenOf(element, name).map(({ text }) => text.trim());
  const rule = {
    id: childText(element, "ID"),
    origins: texts("AllowedOrigin"),
    methods: texts("AllowedMethod"),
    headers: texts("AllowedHeader"),
    exposed: texts("ExposeHeader"),
  };
  if (rule.origins.length === 0 || rule.methods.length === 0) throw refuse("MalformedXML");
  const method = rule.methods.find((name) => !METHODS.has(name));
  if (method !== undefined) {
    throw refuse("InvalidRequest", `Found unsupported HTTP method in CORS config: ${method}`);
  }
  for (const [what, patterns] of Object.entries({ Origin: rule.origins, Header: rule.headers })) {
    const pattern = patterns.find((text) => text.split("*").length > 2);
    if (pattern !== undefined) {
      throw refuse(
        "InvalidRequest",
        `Allowed${what} "${pattern}" can not have more than one wildcard.`,
      );
    }
  }
  // These names become headers of answers.
  const unfit = rule.exposed.find((name) => !/^[\w!#$%&'+.^`|~-]+$/.test(name));
  if (unfit !== undefined) throw refuse("InvalidRequest", `ExposeHeader "${unfit}" is no header.`);
  const age = childText(element, "MaxAgeSeconds")?.trim();
  if (age === undefined) return rule;
  if (!/^\d{1,9}$/.test(age)) throw refuse("MalformedXML");
  return { ...rule, maxAge: Number(age) };
}

/** Answers a browser that asks, before a request, whether it may send it. Never signed. */
export async function preflight(backend: Backend, request: StoreRequest): Promise<HttpResponse> {
  const origin = request.header("origin");
  const method = request.header("access-control-request-method");
  const headers = (request.header("access-control-request-headers") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
  if (origin === undefined || method === undefined) {
    throw refuse("BadRequest", "A preflight needs Origin and Access-Control-Request-Method.");
  }
  if (request.bucket === undefined) throw refuse("AccessForbidden");
  const { settings } = await backend.getBucket(request.bucket);
  if (settings.cors === undefined) throw refuse("AccessForbidden");
  const rule = settings.cors.find((one) => matches(one, origin, method) && allows(one, headers));
  if (rule === undefined) {
    throw refuse("AccessForbidden", "CORSResponse: This CORS request is not allowed.");
  }
  return respond(200, {
    ...allowance(rule, origin),
    ...(headers.length > 0 ? { "access-control-allow-headers": headers.join(", ") } : {}),
    ...(rule.maxAge === undefined ? {} : { "access-control-max-age": String(rule.maxAge) }),
  });
}

/** The headers by which a page gets to see an answer; none where no rule of the bucket lets it. */
export async function corsHeaders(
  backend: Backend,
  request: StoreRequest,
): Promise<Record<string, string>> {
  const origin = request.header("origin");
  if (origin === undefined || request.bucket === undefined) return {};
  try {
    const { settings } = await backend.getBucket(request.bucket);
    const rule = settings.cors?.find((one) => matches(one, origin, request.method));
    return rule === undefined ? {} : allowance(rule, origin);
  } catch (error) {
    if (error instanceof StoreError) return {};
    throw error;
  }
}

function matches({ origins, methods }: CorsRule, origin: string, method: string): boolean {
  return methods.includes(method) && origins.some((pattern) => matchesWildcard(pattern, origin));
}

function allows(rule: CorsRule, headers: readonly string[]): boolean {
  return headers.every((name) =>
    rule.headers.some((pattern) => matchesWildcard(pattern.toLowerCase(), name)),
  );
}

function allowance(rule: CorsRule, origin: string): Record<string, string> {
  const any = rule.origins.includes("*");
  return {
    "access-control-allow-origin": any ? "*" : origin,
    "access-control-allow-methods": rule.methods.join(", "),
    ...(any ? {} : { "access-control-allow-credentials": "true" }),
    ...(rule.exposed.length > 0
      ? { "access-control-expose-headers": rule.exposed.join(", ") }
      : {}),
    vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
  };
}
