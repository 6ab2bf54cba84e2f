/**
 * The signer of the hot path: the same signature as library.ts at a tenth of its cost, by keeping
 * the signing key of the day and hashing with OpenSSL. A property test holds the two equal.
 */
import { type KeyObject, createHmac, createSecretKey, hash } from "node:crypto";

import { type Dialect, algorithmOf, vendorHeader } from "../../../protocol/dialect.js";
import { canonicalValue, isSigned } from "./canonical.js";
import type { Signable, SigningContext } from "./types.js";

// A run touches a handful of regions; more entries mean that days or credentials went by.
const MAX_SCOPES = 32;

/** All of a signature that many requests have in common. */
interface SigningScope {
  readonly dialect: Dialect;
  readonly region: string;
  /** `YYYYMMDD`. */
  readonly day: string;
  readonly secret: string;
  readonly key: KeyObject;
  readonly text: string;
  readonly algorithm: string;
  /** The names of the headers that a signature adds. */
  readonly names: { readonly date: string; readonly hash: string; readonly token: string };
}

/** Makes a signer with a key cache of its own. It adds to the headers it is given. */
export function createFastSigner(): (
  request: Signable,
  context: SigningContext,
) => Record<string, string> {
  const scopes: SigningScope[] = [];

  const scopeFor = (
    dialect: Dialect,
    region: string,
    day: string,
    secret: string,
  ): SigningScope => {
    for (const known of scopes) {
      const isSame = known.day === day && known.region === region && known.dialect === dialect;
      if (isSame && known.secret === secret) return known;
    }
    if (scopes.length >= MAX_SCOPES) scopes.length = 0;
    const scope: SigningScope = {
      dialect,
      region,
      day,
      secret,
      key: signingKey(secret, day, region, dialect),
      text: `${day}/${region}/${dialect.service}/${dialect.terminator}`,
      algorithm: algorithmOf(dialect),
      names: {
        date: vendorHeader(dialect, "date"),
        hash: vendorHeader(dialect, "content-sha256"),
        token: vendorHeader(dialect, "security-token"),
      },
    };
    scopes.push(scope);
    return scope;
  };

  let second = Number.NaN;
  let time = "";
  const timeOf = (date: Date): string => {
    const current = Math.floor(date.getTime() / 1000);
    if (current !== second) {
      second = current;
      time = `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
    }
    return time;
  };

  const signedNames = createNameList();

  return ({ method, path, query, headers, payloadHash }, context) => {
    const { dialect, region, credentials } = context;
    const time = timeOf(context.date);
    const scope = scopeFor(dialect, region, time.slice(0, 8), credentials.secretAccessKey);
    const { algorithm } = scope;
    headers[scope.names.date] = time;
    headers[scope.names.hash] = payloadHash;
    if (credentials.sessionToken !== undefined) {
      headers[scope.names.token] = credentials.sessionToken;
    }

    const { sorted, joined } = signedNames(headers);
    let lines = "";
    for (const name of sorted) lines += `${name}:${canonicalValue(headers[name]!)}\n`;
    const canonical = `${method}\n${path}\n${query}\n${lines}\n${joined}\n${payloadHash}`;
    const signature = createHmac("sha256", scope.key)
      .update(`${algorithm}\n${time}\n${scope.text}\n${hash("sha256", canonical)}`)
      .digest("hex");
    headers["authorization"] =
      `${algorithm} Credential=${credentials.accessKeyId}/${scope.text}, SignedHeaders=${joined}, Signature=${signature}`;
    return headers;
  };
}

/** The names that enter a signature, in order; one request mostly has the names of the one before. */
function createNameList() {
  let names: string[] = [];
  let sorted: string[] = [];
  let joined = "";
  return (headers: Readonly<Record<string, string>>) => {
    const current = Object.keys(headers);
    if (current.length !== names.length || current.some((name, i) => name !== names[i])) {
      names = current;
      sorted = current.filter(isSigned).sort();
      joined = sorted.join(";");
    }
    return { sorted, joined };
  };
}

/**
 * The signing key of one day, region and service, as a KeyObject: with a Buffer for a key, Node 24
 * spends seven times as long in createHmac.
 */
export function signingKey(
  secret: string,
  day: string,
  region: string,
  dialect: Dialect,
): KeyObject {
  let key: Buffer = Buffer.from(dialect.scheme + secret);
  for (const word of [day, region, dialect.service, dialect.terminator]) {
    key = createHmac("sha256", key).update(word).digest();
  }
  return createSecretKey(key);
}
