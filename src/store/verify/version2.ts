/**
 * URLs presigned with Signature Version 2, which boto3 and aws-cli 1 make unless told otherwise
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html). Only as URLs: in a
 * header version 2 would leave the body unsigned.
 */
import { createHmac } from "node:crypto";

import type { HttpRequest } from "../../protocol/message.js";
import { refuse } from "../refuse.js";
import { decodeText } from "../uri.js";
import { headerOf, splitParameter } from "./canonical.js";

export interface Version2Claim {
  readonly accessKeyId: string;
  /** Base64. */
  readonly signature: string;
  readonly stringToSign: string;
}

/** The parameters that a signature of version 2 covers. */
const SIGNED = new Set([
  "acl",
  "analytics",
  "cors",
  "delete",
  "encryption",
  "inventory",
  "lifecycle",
  "location",
  "logging",
  "metrics",
  "notification",
  "object-lock",
  "partNumber",
  "policy",
  "replication",
  "requestPayment",
  "response-cache-control",
  "response-content-disposition",
  "response-content-encoding",
  "response-content-language",
  "response-content-type",
  "response-expires",
  "restore",
  "tagging",
  "torrent",
  "uploadId",
  "uploads",
  "versionId",
  "versioning",
  "versions",
  "website",
]);

const CREDENTIALS = new Set(["AWSAccessKeyId", "Expires", "Signature"]);

/**
 * The claim of a presigned URL of version 2; undefined when the request is none. `hostBucket` is the
 * bucket of a virtual host, which is part of what is signed. Throws when it has expired, and for
 * parameters that the signature does not cover: anybody who has the URL could add what they like.
 */
export function version2Claim(
  request: HttpRequest,
  hostBucket: string | undefined,
  now: number,
): Version2Claim | undefined {
  if (!/(?:^|&)AWSAccessKeyId=/.test(request.query)) return undefined;
  if (request.headers["authorization"] !== undefined) return undefined;
  const parameters = request.query
    .split("&")
    .filter((parameter) => parameter !== "")
    .map((parameter) => splitParameter(parameter.replaceAll("+", "%20")))
    .map(([name, value]) => [decodeText(name), decodeText(value)] as const);
  const given = new Map(parameters);
  const unsigned = parameters.filter(([name]) => !SIGNED.has(name) && !CREDENTIALS.has(name));
  if (unsigned.length > 0 || given.size < parameters.length) {
    throw refuse(
      "AccessDenied",
      "There were parameters present in the URL which Signature Version 2 does not sign.",
      { ParametersNotSigned: unsigned.map(([name]) => name).join(", ") },
    );
  }
  const required = (name: string): string => {
    const value = given.get(name);
    if (value) return value;
    throw refuse("AccessDenied", `A presigned request must have the query parameter ${name}.`);
  };
  const expires = required("Expires");
  if (!/^\d{1,12}$/.test(expires)) throw refuse("AccessDenied", "Invalid date in Expires.");
  if (now > Number(expires) * 1000) {
    throw refuse("AccessDenied", "Request has expired", {
      Expires: new Date(Number(expires) * 1000).toISOString(),
      ServerTime: new Date(now).toISOString(),
    });
  }
  const vendorHeaders = Object.keys(request.headers)
    .filter((name) => name.startsWith("x-amz-"))
    .sort()
    .map((name) => `${name}:${headerOf(request, name)!.trim()}\n`);
  const subresources = parameters
    .filter(([name]) => SIGNED.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (value === "" ? name : `${name}=${value}`));
  const resource = (hostBucket === undefined ? "" : `/${hostBucket}`) + request.path;
  const stringToSign = [
    request.method,
    headerOf(request, "content-md5") ?? "",
    headerOf(request, "content-type") ?? "",
    expires,
    vendorHeaders.join("") +
      resource +
      (subresources.length === 0 ? "" : `?${subresources.join("&")}`),
  ].join("\n");
  return {
    accessKeyId: required("AWSAccessKeyId"),
    signature: required("Signature"),
    stringToSign,
  };
}

/** The signature of version 2: HMAC-SHA1. */
export function sign2(secret: string, text: string): Buffer {
  return createHmac("sha1", secret).update(text, "utf8").digest();
}
