/** Access control: keys with their limits, and everyone where a bucket or an object is public. */
import type { BucketRecord } from "../records.js";
import { StoreError } from "../errors.js";
import type { Call } from "../operations/call.js";
import { refuse } from "../refuse.js";
import type { Grant } from "../verify/verify.js";
import { aclsCount } from "./acl.js";
import { parsePolicy, policyAllows, type PublicAction } from "./policy.js";

/**
 * Throws AccessDenied unless the request may run. `name` is what the router calls it. A key that
 * may not do something as itself may still do it as anybody.
 */
export async function authorize(call: Call, name: string): Promise<void> {
  const { auth, request } = call;
  const { bucket, method } = request;
  const reads = method === "GET" || method === "HEAD";
  if (auth.accessKeyId !== undefined) {
    const within = bucket === undefined || reaches(auth.grant, bucket);
    if (within && (reads || auth.grant.readOnly !== true)) return;
  }
  if (bucket === undefined) throw refuse("AccessDenied");
  const record = await call.backend.getBucket(bucket);
  const action = publicAction(call, name);
  if (action === undefined || !(await everyoneMay(call, record, action))) {
    throw refuse("AccessDenied");
  }
  if (auth.accessKeyId === undefined) refuseOverrides(call);
}

/** Whether a key's limits leave it a bucket. */
export function reaches({ buckets }: Grant, bucket: string): boolean {
  return buckets === undefined || buckets.includes(bucket);
}

/** The public permission that a request needs; only an ACL can grant `write`. */
function publicAction({ request }: Call, name: string): PublicAction | "write" | undefined {
  switch (name) {
    case "PUT object":
    case "DELETE object":
      // Copying from a source and naming a version are never open to everyone.
      return (request.header(request.vendor("copy-source")) ?? request.query.get("versionId"))
        ? undefined
        : "write";
    case "GET object":
    case "HEAD object":
      return request.query.has("versionId") ? "s3:GetObjectVersion" : "s3:GetObject";
    case "GET bucket":
    case "GET bucket?list-type":
    case "HEAD bucket":
      return "s3:ListBucket";
    case "GET bucket?location":
      return "s3:GetBucketLocation";
    default:
      return undefined;
  }
}

async function everyoneMay(
  call: Call,
  bucket: BucketRecord,
  action: PublicAction | "write",
): Promise<boolean> {
  const { settings, name } = bucket;
  const { key } = call.request;
  if (action === "write") {
    const { acl, publicAccessBlock } = settings;
    const blocked = publicAccessBlock?.restrictBuckets === true;
    return acl === "public-read-write" && aclsCount(settings) && !blocked;
  }
  let mayList = aclsCount(settings) && settings.acl !== undefined;
  if (settings.publicAccessBlock?.restrictBuckets !== true) {
    if (call.publicBuckets.has(name) && action !== "s3:GetObjectVersion") return true;
    const statements = settings.policy === undefined ? [] : parsePolicy(settings.policy, name);
    const resource = key === undefined ? name : `${name}/${key}`;
    if (policyAllows(statements, action, resource)) return true;
    mayList ||= policyAllows(statements, "s3:ListBucket", name);
  }
  if (key === undefined) return action === "s3:ListBucket" && mayList;
  try {
    const versionId = call.request.query.get("versionId");
    const record = await call.backend.headObject(name, key, versionId);
    return aclsCount(settings) && record.acl !== undefined;
  } catch (error) {
    // Only those who may list may know whether an object is there.
    if (error instanceof StoreError && error.status === 404) return mayList;
    throw error;
  }
}

/** Only a signed request may say what its answer looks like. */
function refuseOverrides({ request }: Call): void {
  if (![...request.query.keys()].some((name) => name.startsWith("response-"))) return;
  throw refuse(
    "InvalidRequest",
    "Request specific response headers cannot be used for anonymous GET requests.",
  );
}
