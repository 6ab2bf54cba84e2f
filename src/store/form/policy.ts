/**
 * The policy of a form: what its signer allows to be uploaded with it
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).
 */
import { refuse } from "../refuse.js";

export interface FormPolicy {
  /** Bytes the file must have at least, and may have at most. */
  readonly minSize: number;
  readonly maxSize: number;
}

/** Fields that no condition has to speak of: the signature's own. */
const EXEMPT = new Set(["policy", "signature", "awsaccesskeyid", "file"]);

/**
 * Checks the fields against a policy, given as its base64. `signature` is the name of the
 * signature's field. Throws InvalidPolicyDocument, or AccessDenied for a form it does not allow.
 */
export function checkPolicy(
  encoded: string,
  fields: ReadonlyMap<string, string>,
  bucket: string,
  now: number,
  signature: string,
): FormPolicy {
  const { expiration, conditions } = parse(encoded);
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
  const until =
    typeof expiration === "string" && iso.test(expiration) ? Date.parse(expiration) : Number.NaN;
  if (Number.isNaN(until)) throw invalid("Invalid 'expiration' value.");
  if (now > until) throw denied("Policy expired.");
  if (!Array.isArray(conditions)) throw invalid("Policy is missing conditions.");

  const values = new Map([...fields, ["bucket", bucket]]);
  const covered = new Set([...EXEMPT, signature, "bucket"]);
  let minSize = 0;
  let maxSize = Number.POSITIVE_INFINITY;
  for (const condition of conditions as unknown[]) {
    const [kind, first, second] = normal(condition);
    if (kind === "content-length-range") {
      const [least, most] = [Number(first), Number(second)];
      if (!(least >= 0 && most >= least)) throw invalid("Invalid content-length-range.");
      minSize = Math.max(minSize, least);
      maxSize = Math.min(maxSize, most);
      continue;
    }
    if (typeof first !== "string" || typeof second !== "string")
      throw invalid("Invalid condition.");
    const name = first.toLowerCase();
    covered.add(name);
    const value = values.get(name);
    const holds =
      kind === "eq" ? value === second : value !== undefined && startsWith(name, value, second);
    if (!holds) throw denied(`Policy Condition failed: ${JSON.stringify(condition)}`);
  }
  const extra = [...fields.keys()].find(
    (name) => !covered.has(name) && !name.startsWith("x-ignore-"),
  );
  if (extra !== undefined) throw denied(`Extra input fields: ${extra}`);
  return { minSize, maxSize };
}

/** The type may be a list; then each of its items has to begin so. */
function startsWith(name: string, value: string, prefix: string): boolean {
  const values = name === "content-type" ? value.split(",") : [value];
  return values.every((one) => one.startsWith(prefix));
}

/** `{a: b}`, `["eq", "$a", b]`, `["starts-with", "$a", b]`, `["content-length-range", 1, 2]`. */
function normal(condition: unknown): [kind: string, first: unknown, second: unknown] {
  if (Array.isArray(condition) && condition.length === 3) {
    const [kind, first, second] = condition as unknown[];
    const word = typeof kind === "string" ? kind.toLowerCase() : "";
    if (word === "content-length-range") return [word, first, second];
    if (word === "eq" || word === "starts-with") {
      if (typeof first === "string" && first.startsWith("$")) return [word, first.slice(1), second];
    }
  } else if (typeof condition === "object" && condition !== null && !Array.isArray(condition)) {
    const [entry, ...more] = Object.entries(condition);
    if (entry !== undefined && more.length === 0) return ["eq", entry[0], entry[1]];
  }
  throw invalid("Invalid condition.");
}

function parse(encoded: string): { expiration?: unknown; conditions?: unknown } {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64").toString("utf8"));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Said below.
  }
  throw invalid("Invalid JSON.");
}

function invalid(message: string): Error {
  return refuse("InvalidPolicyDocument", `Invalid Policy: ${message}`);
}

function denied(message: string): Error {
  return refuse("AccessDenied", `Invalid according to Policy: ${message}`);
}
