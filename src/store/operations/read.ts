/**
 * GetObject and HeadObject (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html).
 */
import type { HttpResponse } from "../../protocol/message.js";
import type { ObjectRecord, StoredChecksum } from "../records.js";
import { refuse } from "../refuse.js";
import { inOnePiece, respond } from "../response.js";
import { customerKey, keyHeaders, readPlain, requireKey } from "../sealing/customer-key.js";
import { bucketOf, type Call, invalidArgument, target, versionHeader, versionOf } from "./call.js";
import { isUnchanged, parseETags, readConditions } from "./conditions.js";
import { checksumHeaders, objectHeaders, validators } from "./object-headers.js";
import { type ByteRange, contentRange, parseRange } from "./range.js";

export async function headObject(call: Call): Promise<HttpResponse> {
  const { bucket, key } = target(call);
  const record = await call.backend.headObject(bucket, key, versionOf(call));
  return (await head(call, record)).response;
}

export async function getObject(call: Call): Promise<HttpResponse> {
  const { bucket, key } = target(call);
  const blob = await call.backend.openObject(bucket, key, versionOf(call));
  try {
    const { response, selection } = await head(call, blob.record);
    const { start, end } = selection;
    const key = customerKey(call.request);
    const read = end >= start && response.status !== 304;
    if (read && (key !== undefined || blob.bytes === undefined || blob.bytes.length <= end)) {
      return { ...response, bytes: undefined, body: readPlain(blob, key, start, end) };
    }
    await blob.close();
    return read ? { ...response, ...inOnePiece(blob.bytes!.subarray(start, end + 1)) } : response;
  } catch (error) {
    await blob.close();
    throw error;
  }
}

interface Selection extends ByteRange {
  /** The checksum of the bytes: none for a range that is not a whole part. */
  readonly checksum: StoredChecksum | undefined;
  readonly partial: boolean;
}

/** The response but for its body, and the bytes that are to follow. */
async function head(
  call: Call,
  record: ObjectRecord,
): Promise<{ response: HttpResponse; selection: Selection }> {
  const { request } = call;
  refuseDeleteMarker(call, record);
  const told = { ...objectHeaders(request, record), ...(await versionHeaders(call, record)) };
  const key = customerKey(request);
  requireKey(record.sealing, key);
  const whole: Selection = {
    start: 0,
    end: record.size - 1,
    checksum: record.checksum,
    partial: false,
  };
  if (isUnchanged(readConditions(request), record)) {
    return { response: respond(304, told), selection: whole };
  }
  const selection = select(call, record) ?? whole;
  const checked = request.header(request.vendor("checksum-mode"))?.toUpperCase() === "ENABLED";
  const headers = {
    ...told,
    ...keyHeaders(request, key),
    ...(checked ? checksumHeaders(request, selection.checksum) : {}),
    ...(selection.partial ? { "content-range": contentRange(selection, record.size) } : {}),
    ...(request.query.has("partNumber") && record.parts !== undefined
      ? { [request.vendor("mp-parts-count")]: String(record.parts.length) }
      : {}),
    "content-length": String(selection.end - selection.start + 1),
  };
  return { response: respond(selection.partial ? 206 : 200, headers), selection };
}

async function versionHeaders(call: Call, { versionId }: ObjectRecord) {
  if (versionId !== "null" || call.request.query.has("versionId")) {
    return versionHeader(call, versionId, "Enabled");
  }
  const { versioning } = await call.backend.getBucket(bucketOf(call));
  return versionHeader(call, versionId, versioning);
}

/** A part or a range, when one was asked for. */
function select({ request }: Call, record: ObjectRecord): Selection | undefined {
  const part = request.query.get("partNumber");
  const header = request.header("range");
  if (part !== undefined) {
    if (header !== undefined) {
      throw refuse(
        "InvalidRequest",
        "Cannot specify both Range header and partNumber query parameter",
      );
    }
    return selectPart(record, part);
  }
  const ifRange = request.header("if-range");
  if (ifRange !== undefined && !sameState(ifRange, record)) return undefined;
  const range = parseRange(header, record.size);
  return range && { ...range, checksum: undefined, partial: true };
}

function selectPart(record: ObjectRecord, text: string): Selection {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 10_000) {
    throw invalidArgument(
      "partNumber",
      text,
      "Part number must be an integer between 1 and 10000, inclusive",
    );
  }
  if (record.parts === undefined) {
    if (number !== 1) throw refuse("InvalidPartNumber");
    const partial = record.size > 0;
    return { start: 0, end: record.size - 1, checksum: record.checksum, partial };
  }
  // Parts may have been numbered with gaps; reading counts those that are there.
  const part = record.parts[number - 1];
  if (part === undefined) throw refuse("InvalidPartNumber");
  const start = record.parts.slice(0, number - 1).reduce((sum, { size }) => sum + size, 0);
  // The value is the part's; the type goes on saying how the object's checksum is made.
  const type = record.checksum?.type;
  const checksum = part.checksum && type && { ...part.checksum, type };
  return { start, end: start + part.size - 1, checksum, partial: record.size > 0 };
}

/** Whether `If-Range` (RFC 9110 §13.1.5) names the state the object is in. */
function sameState(ifRange: string, record: ObjectRecord): boolean {
  if (parseETags(ifRange).includes(record.etag)) return true;
  return Date.parse(ifRange) === Date.parse(record.lastModified.toUTCString());
}

/** Refuses a marker: not found, or not to be read when it is asked for by its version. */
export function refuseDeleteMarker(call: Call, record: ObjectRecord): void {
  if (!record.deleteMarker) return;
  const { request } = call;
  const headers = {
    [request.vendor("delete-marker")]: "true",
    [request.vendor("version-id")]: record.versionId,
  };
  if (!request.query.has("versionId")) {
    throw refuse("NoSuchKey", undefined, { Key: record.key }, headers);
  }
  throw refuse(
    "MethodNotAllowed",
    undefined,
    { Method: request.method, ResourceType: "DeleteMarker" },
    { ...headers, allow: "DELETE", "last-modified": validators(record)["last-modified"]! },
  );
}
