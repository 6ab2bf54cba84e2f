/** The credential scope: for which day, region and service a key signs. */
import { createHmac } from "node:crypto";

import { type Dialect, vendorHeader } from "../../protocol/dialect.js";
import { type Code, refuse } from "../refuse.js";

export interface CredentialScope {
  readonly accessKeyId: string;
  /** `20130524` */
  readonly date: string;
  /** `20130524/us-east-1/s3/aws4_request` */
  readonly text: string;
}

export interface ScopeRules {
  readonly dialect: Dialect;
  /** Undefined accepts any. */
  readonly region: string | undefined;
}

/**
 * Parses `KEY/20130524/us-east-1/s3/aws4_request`. Throws the given code for another form, region,
 * service or terminator; S3 adds its region, which clients use to sign anew.
 */
export function parseScope(credential: string, rules: ScopeRules, code: Code): CredentialScope {
  const words = credential.split("/");
  if (words.length < 5) {
    throw refuse(
      code,
      "The credential is malformed; expecting <access key>/YYYYMMDD/<region>/<service>/<terminator>.",
    );
  }
  const [date, region, service, terminator] = words.slice(-4) as [string, string, string, string];
  const { dialect } = rules;
  if (!/^\d{8}$/.test(date)) {
    throw refuse(code, `The credential is malformed; incorrect date "${date}".`);
  }
  if (rules.region !== undefined && region !== rules.region) {
    throw refuse(
      code,
      `The region '${region}' is wrong; expecting '${rules.region}'.`,
      { Region: rules.region },
      // For HEAD, whose answer has no document.
      { [vendorHeader(dialect, "bucket-region")]: rules.region },
    );
  }
  if (service !== dialect.service) {
    throw refuse(code, `Incorrect service "${service}"; expecting "${dialect.service}".`);
  }
  if (terminator !== dialect.terminator) {
    throw refuse(code, `Incorrect terminator "${terminator}"; expecting "${dialect.terminator}".`);
  }
  return {
    accessKeyId: words.slice(0, -4).join("/"),
    date,
    text: words.slice(-4).join("/"),
  };
}

/** HMAC-SHA256. */
export function hmac(key: string | Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text, "utf8").digest();
}

interface CachedKey {
  readonly secret: string;
  readonly key: Buffer;
}

const MAX_CACHED = 256;

/**
 * Derives signing keys, remembering them: a key serves a whole day, and deriving it costs four
 * times what using it does.
 */
export function createSigningKeys(
  dialect: Dialect,
): (scope: CredentialScope, secret: string) => Buffer {
  const cache = new Map<string, CachedKey>();
  return (scope, secret) => {
    const name = `${scope.accessKeyId}/${scope.text}`;
    const cached = cache.get(name);
    if (cached?.secret === secret) return cached.key;
    const key = scope.text.split("/").reduce<string | Buffer>(hmac, dialect.scheme + secret);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(name, { secret, key: key as Buffer });
    return key as Buffer;
  };
}
