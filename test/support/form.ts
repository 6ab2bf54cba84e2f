/** Forms that upload to a bucket, signed as the SDKs sign them. */
import { createHmac } from "node:crypto";

export type Condition = Record<string, string> | [string, string | number, string | number];

/** A policy as a form carries it; it holds for so many seconds. */
export function encodePolicy(conditions: readonly Condition[], expiresIn = 60): string {
  const expiration = new Date(Date.now() + expiresIn * 1000).toISOString();
  return Buffer.from(JSON.stringify({ expiration, conditions })).toString("base64");
}

/** The fields of a form signed with version 4. */
export function signedForm(
  keys: { readonly accessKeyId: string; readonly secretAccessKey: string },
  conditions: readonly Condition[],
  expiresIn?: number,
): Record<string, string> {
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const scope = [date.slice(0, 8), "us-east-1", "s3", "aws4_request"];
  const fields = {
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${keys.accessKeyId}/${scope.join("/")}`,
    "X-Amz-Date": date,
  };
  const own = Object.entries(fields).map(([name, value]) => ({ [name]: value }));
  const policy = encodePolicy([...own, ...conditions], expiresIn);
  const hmac = (key: string | Buffer, text: string) =>
    createHmac("sha256", key).update(text).digest();
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  return { ...fields, policy, "X-Amz-Signature": hmac(key, policy).toString("hex") };
}
