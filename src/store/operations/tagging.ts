/** Tags of objects and buckets. */
import type { HttpResponse } from "../../protocol/message.js";
import { refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, requireXml, target, versionHeader, versionOf } from "./call.js";
import { refuseDeleteMarker } from "./read.js";
import { MAX_BUCKET_TAGS, MAX_OBJECT_TAGS, parseTagging, type Tags, tagSet } from "./tags.js";

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export async function getObjectTagging(call: Call): Promise<HttpResponse> {
  const { bucket, key } = target(call);
  const record = await call.backend.headObject(bucket, key, versionOf(call));
  refuseDeleteMarker(call, record);
  return respondXml("Tagging", tagSet(record.tags), versionHeader(call, record.versionId));
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export async function putObjectTagging(call: Call): Promise<HttpResponse> {
  const tags = parseTagging(await requireXml(call, "Tagging"), MAX_OBJECT_TAGS);
  return respond(200, await setTags(call, tags));
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export async function deleteObjectTagging(call: Call): Promise<HttpResponse> {
  return respond(204, await setTags(call, {}));
}

async function setTags(call: Call, tags: Tags): Promise<Record<string, string>> {
  const { bucket, key } = target(call);
  const versionId = versionOf(call);
  refuseDeleteMarker(call, await call.backend.headObject(bucket, key, versionId));
  const record = await call.backend.updateObject(bucket, key, versionId, { tags });
  return versionHeader(call, record.versionId);
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketTagging.html */
export async function getBucketTagging(call: Call): Promise<HttpResponse> {
  const { name, tags } = await call.backend.getBucket(bucketOf(call));
  if (Object.keys(tags).length === 0) throw refuse("NoSuchTagSet", undefined, { BucketName: name });
  return respondXml("Tagging", tagSet(tags));
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html */
export async function putBucketTagging(call: Call): Promise<HttpResponse> {
  const tags = parseTagging(await requireXml(call, "Tagging"), MAX_BUCKET_TAGS);
  await call.backend.updateBucket(bucketOf(call), { tags });
  return respond(204);
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketTagging.html */
export async function deleteBucketTagging(call: Call): Promise<HttpResponse> {
  await call.backend.updateBucket(bucketOf(call), { tags: {} });
  return respond(204);
}
