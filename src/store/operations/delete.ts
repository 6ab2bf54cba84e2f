/** DeleteObject and DeleteObjects. */
import type { HttpResponse } from "../../protocol/message.js";
import { childText, childrenOf, type XmlContent, type XmlElement } from "../../protocol/xml.js";
import type { DeleteOutcome } from "../backend.js";
import { StoreError } from "../errors.js";
import { notImplemented, refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, requireXml, target, versionHeader, versionOf } from "./call.js";
import { parseETags, writePreconditions } from "./conditions.js";

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html */
export async function deleteObject(call: Call): Promise<HttpResponse> {
  const { backend, request } = call;
  const { bucket, key } = target(call);
  for (const name of ["if-match-last-modified-time", "if-match-size"]) {
    const header = request.vendor(name);
    if (request.header(header) !== undefined) throw notImplemented(header);
  }
  const conditions = writePreconditions(request);
  const outcome = await backend.deleteObject(bucket, key, versionOf(call), conditions);
  return respond(204, {
    ...versionHeader(call, outcome.versionId),
    ...(outcome.deleteMarker ? { [request.vendor("delete-marker")]: "true" } : {}),
  });
}

const MAX_KEYS = 1000;
/** Deletes wait for the disk's sync, and syncs that wait together cost little more than one. */
const CONCURRENCY = 16;

interface Deletion {
  readonly key: string;
  readonly versionId: string | undefined;
  readonly etag: string | undefined;
  readonly unsupported: string | undefined;
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
  return {
    key,
    versionId: childText(element, "VersionId") || undefined,
    etag: childText(element, "ETag"),
    unsupported: ["LastModifiedTime", "Size"].find(
      (name) => childText(element, name) !== undefined,
    ),
  };
}

async function deleteOne(call: Call, bucket: string, deletion: Deletion): Promise<XmlContent> {
  const { key, versionId, etag, unsupported } = deletion;
  try {
    if (unsupported !== undefined) throw notImplemented(`deleting by ${unsupported}`);
    if (Buffer.byteLength(key) > 1024) throw refuse("KeyTooLongError");
    const conditions = etag === undefined ? undefined : { ifMatch: parseETags(etag) };
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
