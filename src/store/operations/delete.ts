/** DeleteObject and DeleteObjects. */
import type { HttpResponse } from "../../protocol/message.js";
import { childText, childrenOf, type XmlContent, type XmlElement } from "../../protocol/xml.js";
import type { DeleteOutcome, Preconditions } from "../records.js";
import { StoreError } from "../errors.js";
import { refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import {
  bucketOf,
  type Call,
  invalidArgument,
  isVersionId,
  requireXml,
  target,
  versionHeader,
  versionOf,
} from "./call.js";
import { parseETags, writePreconditions } from "./conditions.js";

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html */
export async function deleteObject(call: Call): Promise<HttpResponse> {
  const { backend, request } = call;
  const { bucket, key } = target(call);
  const conditions = {
    ...writePreconditions(request),
    ...deleteConditions(
      request.header(request.vendor("if-match-last-modified-time")),
      request.header(request.vendor("if-match-size")),
    ),
  };
  const outcome = await backend.deleteObject(bucket, key, versionOf(call), conditions);
  return respond(204, {
    // The answer has an id, even `null`, only where a version was made or named.
    ...versionHeader(call, outcome.versionId, "Enabled"),
    ...(outcome.deleteMarker ? { [request.vendor("delete-marker")]: "true" } : {}),
  });
}

const MAX_KEYS = 1000;
/** Deletes wait for the disk's sync, and syncs that wait together cost little more than one. */
const CONCURRENCY = 16;

interface Deletion {
  readonly key: string;
  readonly versionId: string | undefined;
  readonly conditions: Preconditions;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
export async function deleteObjects(call: Call): Promise<HttpResponse> {
  const bucket = bucketOf(call);
  const document = await requireXml(call, "Delete", { mustBeChecked: true });
  const deletions = childrenOf(document, "Object").map(parseDeletion);
  if (deletions.length === 0 || deletions.length > MAX_KEYS) throw refuse("MalformedXML");
  await call.backend.getBucket(bucket);

  const results: XmlContent[] = [];
  let next = 0;
  const work = async () => {
    while (next < deletions.length) {
      const index = next++;
      results[index] = await deleteOne(call, bucket, deletions[index]!);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const quiet = childText(document, "Quiet")?.trim() === "true";
  const isError = (result: XmlContent) => typeof result === "object" && "Error" in result;
  return respondXml("DeleteResult", quiet ? results.filter(isError) : results);
}

function parseDeletion(element: XmlElement): Deletion {
  const key = childText(element, "Key");
  if (key === undefined || key === "") throw refuse("MalformedXML");
  const etag = childText(element, "ETag");
  return {
    key,
    versionId: childText(element, "VersionId") || undefined,
    conditions: {
      ...deleteConditions(childText(element, "LastModifiedTime"), childText(element, "Size")),
      ...(etag === undefined ? {} : { ifMatch: parseETags(etag) }),
    },
  };
}

/** Conditions on an object's time and size before it is deleted. Throws InvalidArgument. */
function deleteConditions(time: string | undefined, size: string | undefined): Preconditions {
  const ifModifiedAt = time === undefined ? undefined : new Date(time);
  if (ifModifiedAt !== undefined && Number.isNaN(ifModifiedAt.getTime())) {
    throw invalidArgument("LastModifiedTime", time!, "The last modified time is not a date.");
  }
  if (size !== undefined && !/^\d{1,15}$/.test(size)) {
    throw invalidArgument("Size", size, "The size is not a number of bytes.");
  }
  return { ifModifiedAt, ifSize: size === undefined ? undefined : Number(size) };
}

async function deleteOne(call: Call, bucket: string, deletion: Deletion): Promise<XmlContent> {
  const { key, versionId, conditions } = deletion;
  try {
    if (Buffer.byteLength(key) > 1024) throw refuse("KeyTooLongError");
    if (versionId !== undefined && !isVersionId(versionId)) throw refuse("NoSuchVersion");
    const outcome = await call.backend.deleteObject(bucket, key, versionId, conditions);
    return { Deleted: { Key: key, VersionId: versionId, ...markerOf(outcome) } };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code, message } = error;
    return { Error: { Key: key, VersionId: versionId, Code: code, Message: message } };
  }
}

function markerOf({ deleteMarker, versionId }: DeleteOutcome): Record<string, XmlContent> {
  return deleteMarker ? { DeleteMarker: true, DeleteMarkerVersionId: versionId } : {};
}
