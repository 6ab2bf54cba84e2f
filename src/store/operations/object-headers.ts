/** The headers by which a write describes an object, and those by which a read does. */
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { BucketRecord, ObjectInit, ObjectRecord, StoredChecksum } from "../records.js";
import { aclFor, cannedAcl } from "../access/acl.js";
import { checksumHeader } from "../body/expected.js";
import { refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";
import { invalidArgument, quoted } from "./call.js";
import { parseTagHeader } from "./tags.js";

/** Headers kept with an object and given back, and the parameters that override them on a read. */
const KEPT = [
  "content-type",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "expires",
] as const;

const STORAGE_CLASSES = new Set([
  "STANDARD",
  "REDUCED_REDUNDANCY",
  "STANDARD_IA",
  "ONEZONE_IA",
  "INTELLIGENT_TIERING",
  "GLACIER_IR",
  "GLACIER",
  "DEEP_ARCHIVE",
]);

const MAX_METADATA_BYTES = 2048;

/** Reads what a writer says about an object of this bucket. Throws MetadataTooLarge and others. */
export function objectInit(request: StoreRequest, bucket: BucketRecord): ObjectInit {
  const storageClass = request.header(request.vendor("storage-class")) ?? "STANDARD";
  if (!STORAGE_CLASSES.has(storageClass)) {
    throw refuse("InvalidStorageClass", undefined, { StorageClassRequested: storageClass });
  }
  const headers: Record<string, string> = {};
  for (const name of KEPT) {
    const value = name === "content-encoding" ? contentEncoding(request) : request.header(name);
    if (value !== undefined && value !== "") headers[name] = headerText(name, value);
  }
  return {
    headers,
    metadata: userMetadata(request),
    storageClass,
    tags: parseTagHeader(request.header(request.vendor("tagging"))),
    acl: aclFor(bucket, cannedAcl(request)),
  };
}

/** The content encoding without `aws-chunked`, which says how the body travelled, not what it is. */
function contentEncoding(request: StoreRequest): string | undefined {
  return request
    .header("content-encoding")
    ?.split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding.toLowerCase() !== "aws-chunked")
    .join(", ");
}

function userMetadata(request: StoreRequest): Record<string, string> {
  const pairs = request.vendorHeaders("meta-");
  const size = pairs.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
  if (size > MAX_METADATA_BYTES) {
    throw refuse("MetadataTooLarge", undefined, {
      Size: String(size),
      MaxSizeAllowed: String(MAX_METADATA_BYTES),
    });
  }
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return [name, headerText(name, value)];
      throw invalidArgument(request.vendor(`meta-${name}`), value, "Invalid name of metadata.");
    }),
  );
}

/**
 * Refuses text that could not be given back in a header. Such text cannot come in a header either,
 * but it can come in a parameter.
 */
function headerText(name: string, value: string): string {
  if (!/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) return value;
  throw invalidArgument(name, value, "Header values cannot contain control characters.");
}

/** The headers a GET or HEAD answers with, without length, range and checksum. */
export function objectHeaders(request: StoreRequest, record: ObjectRecord): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "binary/octet-stream",
    ...record.headers,
    ...validators(record),
    "accept-ranges": "bytes",
  };
  for (const name of KEPT) {
    const override = request.query.get(`response-${name}`);
    if (override !== undefined) headers[name] = headerText(`response-${name}`, override);
  }
  for (const [name, value] of Object.entries(record.metadata)) {
    headers[request.vendor(`meta-${name}`)] = value;
  }
  if (record.storageClass !== "STANDARD") {
    headers[request.vendor("storage-class")] = record.storageClass;
  }
  const tags = Object.keys(record.tags).length;
  if (tags > 0) headers[request.vendor("tagging-count")] = String(tags);
  return headers;
}

/** The headers that tell one state of an object from another. */
export function validators(record: ObjectRecord): Record<string, string> {
  return {
    "last-modified": record.lastModified.toUTCString(),
    etag: quoted(record.etag),
  };
}

/** A checksum in the headers of an answer. */
export function checksumHeaders(
  request: StoreRequest,
  checksum: StoredChecksum | undefined,
): Record<string, string> {
  if (checksum === undefined) return {};
  return {
    [request.vendor(checksumHeader(checksum.algorithm))]: checksum.value,
    [request.vendor("checksum-type")]: checksum.type,
  };
}

/** A checksum as an element of a document: `ChecksumCRC32`. */
export function checksumElement(
  checksum: Pick<StoredChecksum, "algorithm" | "value"> | undefined,
): Record<string, string> {
  return checksum === undefined ? {} : { [`Checksum${checksum.algorithm}`]: checksum.value };
}

/** The checksum that an object about to be made is to carry, when one is asked for. */
export function requestedAlgorithm(request: StoreRequest): ChecksumAlgorithm | undefined {
  const name = request.header(request.vendor("checksum-algorithm"))?.toUpperCase();
  if (name === undefined) return undefined;
  const found = CHECKSUM_ALGORITHMS.find((algorithm) => algorithm === name);
  if (found !== undefined) return found;
  throw refuse(
    "InvalidRequest",
    `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${CHECKSUM_ALGORITHMS.join(", ")}]`,
  );
}
