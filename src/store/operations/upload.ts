/** Multipart uploads: beginning, listing and aborting them. */
import { isCrc } from "../../protocol/checksum.js";
import type { HttpResponse } from "../../protocol/message.js";
import type { UploadRecord } from "../records.js";
import { refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";
import { customerKey, keyHeaders, newSealing } from "../sealing/customer-key.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, intParameter, OWNER, refuseSelectors, target } from "./call.js";
import { keyEncoder } from "./list.js";
import { objectInit, requestedAlgorithm } from "./object-headers.js";

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html */
export async function createUpload(call: Call): Promise<HttpResponse> {
  const { backend, request } = call;
  refuseSelectors(call);
  const { bucket, key } = target(call);
  const init = objectInit(request, await backend.getBucket(bucket));
  const checksum = requestedChecksum(request);
  const customer = customerKey(request);
  const sealing = customer && newSealing(customer);
  const { uploadId } = await backend.createUpload(bucket, key, { ...init, checksum, sealing });
  const headers: Record<string, string> = keyHeaders(request, customer);
  if (checksum !== undefined) {
    headers[request.vendor("checksum-algorithm")] = checksum.algorithm;
    headers[request.vendor("checksum-type")] = checksum.type;
  }
  const content = { Bucket: bucket, Key: key, UploadId: uploadId };
  return respondXml("InitiateMultipartUploadResult", content, headers);
}

/**
 * The checksum the parts will carry and how they combine
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html).
 */
function requestedChecksum(request: StoreRequest): UploadRecord["checksum"] {
  const algorithm = requestedAlgorithm(request);
  const type = request.header(request.vendor("checksum-type"))?.toUpperCase();
  if (algorithm === undefined) {
    if (type === undefined) return undefined;
    throw refuse(
      "InvalidRequest",
      `The ${request.vendor("checksum-type")} header can only be used with the ${request.vendor("checksum-algorithm")} header.`,
    );
  }
  const standard = algorithm === "CRC64NVME" ? "FULL_OBJECT" : "COMPOSITE";
  if (type === undefined) return { algorithm, type: standard };
  if (type !== "FULL_OBJECT" && type !== "COMPOSITE") {
    throw refuse(
      "InvalidRequest",
      `Value for ${request.vendor("checksum-type")} header is invalid.`,
    );
  }
  const possible = type === "FULL_OBJECT" ? isCrc(algorithm) : algorithm !== "CRC64NVME";
  if (possible) return { algorithm, type };
  throw refuse(
    "InvalidRequest",
    `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
  );
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export async function abortUpload(call: Call): Promise<HttpResponse> {
  const { backend, request } = call;
  const { bucket, key } = target(call);
  const uploadId = request.query.get("uploadId")!;
  const name = request.vendor("if-match-initiated-time");
  const begun = request.header(name);
  // An upload's time never changes, so it may be looked at before the upload is aborted.
  if (begun !== undefined) {
    const { initiated } = await backend.getUpload(bucket, key, uploadId);
    const seconds = (time: number) => Math.floor(time / 1000);
    if (seconds(Date.parse(begun)) !== seconds(initiated.getTime())) {
      throw refuse("PreconditionFailed", undefined, { Condition: name });
    }
  }
  await backend.abortUpload(bucket, key, uploadId);
  return respond(204);
}

const MAX_UPLOADS = 1000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html */
export async function listUploads(call: Call): Promise<HttpResponse> {
  const { request } = call;
  const bucket = bucketOf(call);
  const encode = keyEncoder(request);
  const prefix = request.query.get("prefix") ?? "";
  const delimiter = request.query.get("delimiter") ?? "";
  const keyMarker = request.query.get("key-marker") ?? "";
  const uploadMarker = keyMarker === "" ? "" : (request.query.get("upload-id-marker") ?? "");
  const limit = Math.min(intParameter(call, "max-uploads", MAX_UPLOADS), MAX_UPLOADS);

  const all = await call.backend.listUploads(bucket, prefix);
  const rest = after(all, keyMarker, uploadMarker);
  const { uploads, prefixes, truncated, last } = group(rest, {
    prefix,
    delimiter,
    keyMarker,
    limit,
  });
  return respondXml("ListMultipartUploadsResult", {
    Bucket: bucket,
    KeyMarker: encode(keyMarker),
    UploadIdMarker: uploadMarker,
    NextKeyMarker: truncated && last ? encode(last.key) : undefined,
    NextUploadIdMarker: truncated && last ? last.uploadId : undefined,
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    Prefix: encode(prefix),
    EncodingType: request.query.get("encoding-type"),
    MaxUploads: limit,
    IsTruncated: truncated,
    Upload: uploads.map((upload) => ({
      Key: encode(upload.key),
      UploadId: upload.uploadId,
      Initiator: OWNER,
      Owner: OWNER,
      StorageClass: upload.storageClass,
      Initiated: upload.initiated.toISOString(),
      ChecksumAlgorithm: upload.checksum?.algorithm,
      ChecksumType: upload.checksum?.type,
    })),
    CommonPrefixes: prefixes.map((common) => ({ Prefix: encode(common) })),
  });
}

/** The uploads behind the markers: of later keys, and of the same key when an upload is named. */
function after(
  uploads: readonly UploadRecord[],
  keyMarker: string,
  uploadMarker: string,
): readonly UploadRecord[] {
  if (keyMarker === "") return uploads;
  const marker = Buffer.from(keyMarker);
  const named = uploads.findIndex(
    ({ key, uploadId }) => key === keyMarker && uploadId === uploadMarker,
  );
  if (named >= 0) return uploads.slice(named + 1);
  return uploads.filter(({ key }) => Buffer.compare(Buffer.from(key), marker) > 0);
}

interface Grouping {
  readonly prefix: string;
  readonly delimiter: string;
  readonly keyMarker: string;
  readonly limit: number;
}

interface Grouped {
  readonly uploads: readonly UploadRecord[];
  readonly prefixes: readonly string[];
  readonly truncated: boolean;
  /** Where the next page starts: the last upload, or the last prefix without an upload. */
  readonly last: { readonly key: string; readonly uploadId?: string } | undefined;
}

/** Rolls keys up to the delimiter, up to the limit. */
function group(rest: readonly UploadRecord[], options: Grouping): Grouped {
  const { prefix, delimiter, keyMarker, limit } = options;
  const uploads: UploadRecord[] = [];
  const prefixes: string[] = [];
  let last: Grouped["last"];
  for (const upload of rest) {
    const at = delimiter === "" ? -1 : upload.key.indexOf(delimiter, prefix.length);
    const common = at < 0 ? undefined : upload.key.slice(0, at + delimiter.length);
    if (common !== undefined && (common === prefixes.at(-1) || common === keyMarker)) continue;
    if (uploads.length + prefixes.length === limit) {
      return { uploads, prefixes, truncated: limit > 0, last };
    }
    if (common === undefined) {
      uploads.push(upload);
      last = upload;
    } else {
      prefixes.push(common);
      last = { key: common };
    }
  }
  return { uploads, prefixes, truncated: false, last };
}
