/** The ACLs and the ownership of buckets and objects, and what keeps both from becoming public. */
import type { HttpResponse } from "../../protocol/message.js";
import { child, childText } from "../../protocol/xml.js";
import { aclContent, aclFor, cannedAcl, parseAcl } from "../access/acl.js";
import type { Acl, BucketSettings, PublicAccessBlock } from "../records.js";
import { refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, readXml, requireXml, settingOf, target, versionOf } from "./call.js";
import { refuseDeleteMarker } from "./read.js";

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAcl.html */
export async function getBucketAcl(call: Call): Promise<HttpResponse> {
  const { settings } = await call.backend.getBucket(bucketOf(call));
  return respondXml("AccessControlPolicy", aclContent(settings.acl));
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html */
export async function getObjectAcl(call: Call): Promise<HttpResponse> {
  const { bucket, key } = target(call);
  const record = await call.backend.headObject(bucket, key, versionOf(call));
  refuseDeleteMarker(call, record);
  return respondXml("AccessControlPolicy", aclContent(record.acl));
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html */
export async function putBucketAcl(call: Call): Promise<HttpResponse> {
  const bucket = await call.backend.getBucket(bucketOf(call));
  const acl = aclFor(bucket, await requestedAcl(call));
  await call.backend.updateBucket(bucket.name, { settings: { acl } });
  return respond(200);
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html */
export async function putObjectAcl(call: Call): Promise<HttpResponse> {
  const { backend } = call;
  const { bucket, key } = target(call);
  const versionId = versionOf(call);
  const acl = aclFor(await backend.getBucket(bucket), await requestedAcl(call));
  refuseDeleteMarker(call, await backend.headObject(bucket, key, versionId));
  await backend.updateObject(bucket, key, versionId, { acl });
  return respond(200);
}

/** The ACL of a header or a document, of which there must be one. */
async function requestedAcl(call: Call): Promise<Acl> {
  const { request } = call;
  const document = await readXml(call);
  const acl = cannedAcl(request);
  const named = request.header(request.vendor("acl")) !== undefined;
  if (named === (document !== undefined)) {
    throw refuse("InvalidRequest", "An ACL is given either in a header or in the body.");
  }
  return document === undefined ? acl : parseAcl(document);
}

const OWNERSHIPS = ["BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"];

/** Throws InvalidArgument for text that is no setting of object ownership. */
export function checkOwnership(text: string): string {
  if (OWNERSHIPS.includes(text)) return text;
  throw refuse("InvalidArgument", `Invalid x-amz-object-ownership value: ${text}`);
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketOwnershipControls.html */
export async function getOwnership(call: Call): Promise<HttpResponse> {
  const ObjectOwnership = await settingOf(call, "ownership", "OwnershipControlsNotFoundError");
  return respondXml("OwnershipControls", { Rule: { ObjectOwnership } });
}

/**
 * Every object belongs to the one owner whatever is set; the setting decides whether ACLs count
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketOwnershipControls.html).
 */
export async function putOwnership(call: Call): Promise<HttpResponse> {
  const document = await requireXml(call, "OwnershipControls");
  const rule = child(document, "Rule");
  const text = rule && childText(rule, "ObjectOwnership");
  if (text === undefined || !OWNERSHIPS.includes(text)) throw refuse("MalformedXML");
  const { name, settings } = await call.backend.getBucket(bucketOf(call));
  if (text === "BucketOwnerEnforced" && settings.acl !== undefined) {
    throw refuse("InvalidBucketAclWithObjectOwnership", undefined, { BucketName: name });
  }
  await call.backend.updateBucket(name, { settings: { ownership: text } });
  return respond(200);
}

const BLOCKS: readonly (readonly [element: string, field: keyof PublicAccessBlock])[] = [
  ["BlockPublicAcls", "blockAcls"],
  ["IgnorePublicAcls", "ignoreAcls"],
  ["BlockPublicPolicy", "blockPolicy"],
  ["RestrictPublicBuckets", "restrictBuckets"],
];

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetPublicAccessBlock.html */
export async function getPublicAccessBlock(call: Call): Promise<HttpResponse> {
  const code = "NoSuchPublicAccessBlockConfiguration";
  const block = await settingOf(call, "publicAccessBlock", code);
  const content = BLOCKS.map(([element, field]) => [element, block[field]] as const);
  return respondXml("PublicAccessBlockConfiguration", Object.fromEntries(content));
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutPublicAccessBlock.html */
export async function putPublicAccessBlock(call: Call): Promise<HttpResponse> {
  const document = await requireXml(call, "PublicAccessBlockConfiguration");
  const fields = BLOCKS.map(([element, field]) => {
    const text = childText(document, element)?.trim().toLowerCase() ?? "false";
    if (text !== "true" && text !== "false") throw refuse("MalformedXML");
    return [field, text === "true"] as const;
  });
  const publicAccessBlock = Object.fromEntries(fields) as unknown as PublicAccessBlock;
  await call.backend.updateBucket(bucketOf(call), { settings: { publicAccessBlock } });
  return respond(200);
}

/** An operation that takes a setting away; one that was never set is gone already. */
export function removeSetting(name: keyof BucketSettings) {
  return async (call: Call): Promise<HttpResponse> => {
    await call.backend.updateBucket(bucketOf(call), { settings: { [name]: undefined } });
    return respond(204);
  };
}
