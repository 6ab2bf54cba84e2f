/** The form of an upload from a web page or by curl: fields that carry a signed policy. */
import { createHmac } from "node:crypto";

import { algorithmOf, vendorHeader } from "../../../protocol/dialect.js";
import { signingKey } from "./fast.js";
import type { SigningContext } from "./types.js";

/**
 * The fields that let anybody who has them upload one key or, with a `/` at its end or empty, below
 * a prefix, for so many seconds
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).
 */
export function postFields(
  bucket: string,
  key: string,
  seconds: number,
  { dialect, region, credentials, date }: SigningContext,
): Record<string, string> {
  const time = `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${dialect.service}/${dialect.terminator}`;
  const below = key === "" || key.endsWith("/");
  const { sessionToken } = credentials;
  const signed = {
    [vendorHeader(dialect, "algorithm")]: algorithmOf(dialect),
    [vendorHeader(dialect, "credential")]: `${credentials.accessKeyId}/${scope}`,
    [vendorHeader(dialect, "date")]: time,
    ...(sessionToken && { [vendorHeader(dialect, "security-token")]: sessionToken }),
  };
  const policy = {
    expiration: new Date(date.getTime() + seconds * 1000).toISOString(),
    conditions: [
      { bucket },
      below ? ["starts-with", "$key", key] : ["eq", "$key", key],
      ...Object.entries(signed).map(([name, value]) => ({ [name]: value })),
    ],
  };
  const encoded = Buffer.from(JSON.stringify(policy)).toString("base64");
  const secret = signingKey(credentials.secretAccessKey, day, region, dialect);
  return {
    // `$key` begins with this; the rest of it is the name of the file that is sent.
    key: below ? `${key}\${filename}` : key,
    ...signed,
    policy: encoded,
    [vendorHeader(dialect, "signature")]: createHmac("sha256", secret)
      .update(encoded)
      .digest("hex"),
  };
}
