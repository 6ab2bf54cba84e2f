/** The limits set by the person who started the server, whatever a model asks for. */
import { deniedError, invalidArgument, usageError } from "../core/failures/errors.js";
import type { Access, Tool } from "./tool.js";

/** The tool that makes links anybody can use: what `--no-presign` takes away. */
const PRESIGN = "presign_url";

export interface Policy {
  /** Nothing stored is changed. */
  readonly readOnly: boolean;
  /** `NAME`, or `ALIAS/NAME`; empty permits every bucket. */
  readonly buckets: readonly string[];
  /** Tools by name; empty offers all that apply. */
  readonly tools: readonly string[];
  /** Groups that are offered besides. */
  readonly toolsets: readonly string[];
  /** False takes away the tool that makes links; links to upload with are writes besides. */
  readonly presign: boolean;
}

/**
 * Throws a usage error for a policy that cannot be meant: a name that cannot be a bucket's, a
 * bucket on an alias that is not served, or no tool left to offer.
 */
export function requirePolicy(
  policy: Policy,
  aliases: readonly string[],
  tools: readonly Tool[],
): void {
  for (const entry of policy.buckets) {
    const [first = "", second, ...more] = entry.split("/");
    const alias = second === undefined ? undefined : first;
    if (alias !== undefined && !aliases.includes(alias)) {
      throw invalidArgument(
        `--bucket ${entry}: the alias ${alias} is not served`,
        `use ${aliases.join(", ")}`,
      );
    }
    if (more.length > 0 || !BUCKET_NAME.test(second ?? first)) {
      throw invalidArgument(
        `--bucket "${entry}" is not NAME or ALIAS/NAME`,
        "give a bucket's name",
      );
    }
  }
  if (!tools.some((tool) => offers(policy, tool))) {
    throw invalidArgument(
      "with these options no tool is left to offer",
      "leave out --tools or --read-only",
    );
  }
}

/** Whether a tool is offered at all. */
export function offers(policy: Policy, tool: Tool): boolean {
  if (policy.readOnly && tool.access === "write") return false;
  if (!policy.presign && tool.name === PRESIGN) return false;
  if (policy.buckets.length > 0 && tool.scope === "service") return false;
  if (policy.tools.length > 0) return policy.tools.includes(tool.name);
  return tool.toolset === undefined || policy.toolsets.includes(tool.toolset);
}

/** The buckets permitted on an alias; undefined when all are. */
export function allowedBuckets(policy: Policy, alias: string): string[] | undefined {
  if (policy.buckets.length === 0) return undefined;
  return policy.buckets.flatMap((entry) => {
    const cut = entry.indexOf("/");
    if (cut < 0) return [entry];
    return entry.slice(0, cut) === alias ? [entry.slice(cut + 1)] : [];
  });
}

/** Throws AccessDenied when nothing may be changed. */
export function requireAccess(policy: Policy, access: Access): void {
  if (access === "read" || !policy.readOnly) return;
  throw deniedError(
    "AccessDenied",
    "this server was started with --read-only",
    "ask the person to start it without --read-only",
  );
}

const BUCKET_NAME = /^\w[\w.-]{2,254}$/;

/**
 * Throws InvalidBucketName for what no service takes for a name. Looser than S3, since others have
 * other rules; strict about what would lead out of the bucket in a request's path.
 */
export function requireBucketName(bucket: string): void {
  if (BUCKET_NAME.test(bucket)) return;
  throw usageError(
    "InvalidBucketName",
    `"${bucket.slice(0, 100)}" is not a bucket name`,
    "use 3 to 63 lower-case letters, digits, dots and hyphens",
  );
}

/**
 * Throws AccessDenied for a bucket that was not allowed, InvalidBucketName for a text that is not a
 * name.
 */
export function requireBucket(policy: Policy, alias: string, bucket: string): void {
  requireBucketName(bucket);
  const allowed = allowedBuckets(policy, alias);
  if (allowed === undefined || allowed.includes(bucket)) return;
  throw deniedError(
    "AccessDenied",
    `bucket ${bucket} is not among those this server was started for`,
    allowed.length > 0 ? `use ${allowed.join(", ")}` : "use another alias",
  );
}
