/**
 * What S3 answers about settings a bucket has never been given. They cannot be given here, so these
 * answers are always the true ones.
 */
import type { HttpResponse } from "../../protocol/message.js";
import type { XmlContent } from "../../protocol/xml.js";
import { type Code, notImplemented, refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, type Operation, OWNER, readXml, target, versionOf } from "./call.js";
import { refuseDeleteMarker } from "./read.js";

/** An operation that answers that a configuration is not there. */
export function missing(code: Code): Operation {
  return async (call) => {
    const { name } = await call.backend.getBucket(bucketOf(call));
    throw refuse(code, undefined, { BucketName: name });
  };
}

/** An operation that answers with the configuration every new bucket has. */
export function standard(root: string, content: XmlContent = ""): Operation {
  return async (call) => {
    await call.backend.getBucket(bucketOf(call));
    return respondXml(root, content);
  };
}

/** Only the owner has access, to everything. */
const PRIVATE: XmlContent = {
  Owner: OWNER,
  AccessControlList: { Grant: { Grantee: OWNER, Permission: "FULL_CONTROL" } },
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAcl.html */
export async function getBucketAcl(call: Call): Promise<HttpResponse> {
  await call.backend.getBucket(bucketOf(call));
  return aclDocument();
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html */
export async function getObjectAcl(call: Call): Promise<HttpResponse> {
  const { bucket, key } = target(call);
  refuseDeleteMarker(call, await call.backend.headObject(bucket, key, versionOf(call)));
  return aclDocument();
}

function aclDocument(): HttpResponse {
  const response = respondXml("AccessControlPolicy", PRIVATE);
  return response;
}

/** Setting the canned ACL that is in force already changes nothing; any other cannot be set. */
export async function putBucketAcl(call: Call): Promise<HttpResponse> {
  await call.backend.getBucket(bucketOf(call));
  return keepPrivate(call);
}

/** The same for an object. */
export async function putObjectAcl(call: Call): Promise<HttpResponse> {
  const { bucket, key } = target(call);
  refuseDeleteMarker(call, await call.backend.headObject(bucket, key, versionOf(call)));
  return keepPrivate(call);
}

async function keepPrivate(call: Call): Promise<HttpResponse> {
  const { request } = call;
  // A canned ACL that is not private was refused before any operation ran.
  const canned = request.header(request.vendor("acl")) !== undefined;
  if (!canned || (await readXml(call)) !== undefined) throw notImplemented("access control lists");
  return respond(200);
}
