/**
 * Bucket policies, of which there is one kind here: everyone may get objects, or list. Any other is
 * refused when it is set, so that none is kept that would not be obeyed
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-policy-language-overview.html).
 */
import { notImplemented, refuse } from "../refuse.js";
import { matchesWildcard } from "./wildcard.js";

export type PublicAction =
  | "s3:GetObject"
  | "s3:GetObjectVersion"
  | "s3:ListBucket"
  | "s3:GetBucketLocation";

export interface Statement {
  readonly actions: readonly PublicAction[];
  /** `bucket` or `bucket/keys`, with wildcards. */
  readonly resources: readonly string[];
}

const MAX_BYTES = 20 * 1024;
const ARN = "arn:aws:s3:::";

/** The kind of resource that each action is on. */
const ACTIONS: Readonly<Record<PublicAction, "object" | "bucket">> = {
  "s3:GetObject": "object",
  "s3:GetObjectVersion": "object",
  "s3:ListBucket": "bucket",
  "s3:GetBucketLocation": "bucket",
};

/**
 * Reads a policy of a bucket. Throws MalformedPolicy for text that is no policy, and NotImplemented
 * for a policy that says anything but that everyone may get or list.
 */
export function parsePolicy(text: string, bucket: string): Statement[] {
  if (Buffer.byteLength(text) > MAX_BYTES) throw malformed("The policy is larger than 20 KiB.");
  const {
    Version,
    Id: _,
    Statement: statements,
    ...rest
  } = objectOf(parseJson(text), "The policy");
  refuseRest(rest);
  if (Version !== undefined && Version !== "2012-10-17" && Version !== "2008-10-17") {
    throw malformed("The policy must contain a valid version string.");
  }
  const list = Array.isArray(statements) ? (statements as unknown[]) : [statements];
  if (statements === undefined || list.length === 0) throw malformed("Missing Statement.");
  return list.map((statement) => parseStatement(statement, bucket));
}

/** Whether everyone may do this to `bucket` or `bucket/key`. */
export function policyAllows(
  statements: readonly Statement[],
  action: PublicAction,
  resource: string,
): boolean {
  return statements.some(
    ({ actions, resources }) =>
      actions.includes(action) && resources.some((pattern) => matchesWildcard(pattern, resource)),
  );
}

function parseStatement(value: unknown, bucket: string): Statement {
  const { Sid: _, Effect, Principal, Action, Resource, ...rest } = objectOf(value, "A statement");
  refuseRest(rest);
  if (Effect === "Deny") throw notImplemented("bucket policies that deny");
  if (Effect !== "Allow") throw malformed("Invalid effect.");
  const principal =
    typeof Principal === "object" && Principal !== null && Object.keys(Principal).join() === "AWS"
      ? (Principal as { AWS: unknown }).AWS
      : Principal;
  if (Principal === undefined) throw malformed("Missing Principal.");
  if (!strings(principal, "principal").every((who) => who === "*")) {
    throw notImplemented("bucket policies for anybody but everyone");
  }
  const actions = strings(Action, "action").map((action): PublicAction => {
    if (Object.hasOwn(ACTIONS, action)) return action as PublicAction;
    throw notImplemented(
      `the action ${action} in a bucket policy; everyone can be allowed ${Object.keys(ACTIONS).join(", ")}`,
    );
  });
  const resources = strings(Resource, "resource").map((resource) => {
    const name = resource.startsWith(ARN) ? resource.slice(ARN.length) : "";
    if (name === bucket || name.startsWith(`${bucket}/`)) return name;
    throw malformed(`Policy has invalid resource: ${resource}`);
  });
  for (const action of actions) {
    const applies = resources.some((name) => (ACTIONS[action] === "bucket") === (name === bucket));
    if (!applies) {
      throw malformed(`Action ${action} does not apply to any resource(s) in statement`);
    }
  }
  return { actions, resources };
}

function refuseRest(rest: object): void {
  const [name] = Object.keys(rest);
  if (name !== undefined) throw notImplemented(`${name} in a bucket policy`);
}

function strings(value: unknown, what: string): string[] {
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  if (list.length > 0 && list.every((item) => typeof item === "string")) return list;
  throw malformed(`Policy has invalid ${what}.`);
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw malformed(`${what} is not an object.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed("Policies must be valid JSON and the first byte must be '{'");
  }
}

function malformed(message: string): Error {
  return refuse("MalformedPolicy", message);
}
