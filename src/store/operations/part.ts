/** The parts of a multipart upload: sent, copied, listed. */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { HttpResponse } from "../../protocol/message.js";
import type { PartRecord, UploadRecord } from "../records.js";
import type { StagedBlob } from "../disk/stage.js";
import { openBody } from "../body/body.js";
import type { Digests } from "../body/digests.js";
import { checksumHeader, promisedChecksum } from "../body/expected.js";
import { refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";
import { respond, respondXml } from "../response.js";
import { customerKey, keyHeaders, newSalt, requireKey } from "../sealing/customer-key.js";
import { seal } from "../sealing/stream.js";
import { type Call, intParameter, invalidArgument, OWNER, quoted, target } from "./call.js";
import { copiedVersion, openCopySource, parseCopySource, stageMeasured } from "./copy-source.js";
import { checksumElement } from "./object-headers.js";
import { type ByteRange, parseRange } from "./range.js";
import { checkSize, DEFAULT_CHECKSUM, staging, storedChecksum } from "./write.js";

const MAX_PART_NUMBER = 10_000;
const MAX_PARTS = 1000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html */
export async function uploadPart(call: Call): Promise<HttpResponse> {
  const { backend, request, auth } = call;
  const number = partNumber(call);
  const upload = await uploadOf(call);
  const promised = promisedChecksum(request)?.algorithm;
  checkAlgorithm(upload, promised);
  const algorithm = upload.checksum?.algorithm ?? DEFAULT_CHECKSUM;
  const body = openBody(request, auth, [algorithm]);
  checkSize(body.length);

  const sealing = sealPart(request, upload, body.chunks);
  const part = await staging(backend.stage(sealing.chunks), (blob) =>
    keepPart(call, number, blob, sealing.about(body.digests(), body.length, algorithm)),
  );
  const answered = storedChecksum(body.digests(), promised ?? algorithm);
  return respond(200, {
    etag: quoted(part.etag),
    [request.vendor(checksumHeader(answered.algorithm))]: answered.value,
    ...keyHeaders(request, customerKey(request)),
  });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html */
export async function uploadPartCopy(call: Call): Promise<HttpResponse> {
  const { request } = call;
  const number = partNumber(call);
  const upload = await uploadOf(call);
  const algorithm = upload.checksum?.algorithm ?? DEFAULT_CHECKSUM;
  const source = await openCopySource(call, parseCopySource(call));
  const { record } = source;
  let range: ByteRange;
  try {
    range = copyRange(call, record.size);
    checkSize(range.end - range.start + 1);
  } catch (error) {
    await source.close();
    throw error;
  }
  const read = (chunks: AsyncIterable<Uint8Array>) => sealPart(request, upload, chunks);
  const { blob, digests, sealing } = await stageMeasured(call, source, range, [algorithm], read);
  const size = range.end - range.start + 1;
  const part = await staging(Promise.resolve(blob), () =>
    keepPart(call, number, blob, sealing.about(digests, size, algorithm)),
  );
  const content = {
    LastModified: part.lastModified.toISOString(),
    ETag: quoted(part.etag),
    ...checksumElement(part.checksum),
  };
  return respondXml("CopyPartResult", content, {
    ...copiedVersion(call, record),
    ...keyHeaders(request, customerKey(request)),
  });
}

type PartAbout = Omit<PartRecord, "lastModified" | "number">;

function keepPart(call: Call, number: number, blob: StagedBlob, about: PartAbout) {
  const { bucket, key } = target(call);
  const uploadId = call.request.query.get("uploadId")!;
  return call.backend.putPart(bucket, key, uploadId, blob, { number, ...about });
}

/**
 * A part's bytes as they are stored, sealed if the upload is, and what is then said about them.
 * Throws for another key than the upload was begun with.
 */
function sealPart(
  request: StoreRequest,
  upload: UploadRecord,
  chunks: AsyncIterable<Uint8Array>,
): {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly about: (digests: Digests, size: number, algorithm: ChecksumAlgorithm) => PartAbout;
} {
  const customer = customerKey(request);
  requireKey(upload.sealing, customer);
  const salt = customer && newSalt();
  const sealed = customer && seal(chunks, customer.bytes, salt!);
  return {
    chunks: sealed?.chunks ?? chunks,
    about: (digests, size, algorithm) => ({
      size,
      salt,
      etag: sealed?.etag() ?? digests.md5.toString("hex"),
      checksum: storedChecksum(digests, algorithm),
    }),
  };
}

/** The bytes a part copies: all, or exactly those of the range, which must be there. */
function copyRange({ request }: Call, size: number): ByteRange {
  const name = request.vendor("copy-source-range");
  const header = request.header(name);
  if (header === undefined) return { start: 0, end: size - 1 };
  const found = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header);
  const range = found === null ? undefined : parseRange(header, size);
  if (range === undefined) {
    throw invalidArgument(
      name,
      header,
      `The ${name} value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy`,
    );
  }
  if (Number(found![2]) < size) return range;
  throw refuse("InvalidRange", undefined, {
    RangeRequested: header,
    ActualObjectSize: String(size),
  });
}

function checkAlgorithm(upload: UploadRecord, promised: ChecksumAlgorithm | undefined): void {
  const { algorithm: expected, type } = upload.checksum ?? {};
  if (expected === undefined || expected === promised) return;
  // The store computes a FULL_OBJECT part's checksum itself; a COMPOSITE part must bring its own.
  if (promised === undefined && type === "FULL_OBJECT") return;
  throw refuse(
    "InvalidRequest",
    `Checksum Type mismatch occurred, expected checksum Type: ${expected.toLowerCase()}, actual checksum Type: ${promised?.toLowerCase() ?? "null"}`,
  );
}

function partNumber({ request }: Call): number {
  const text = request.query.get("partNumber") ?? "";
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MAX_PART_NUMBER) return number;
  throw invalidArgument(
    "partNumber",
    text,
    `Part number must be an integer between 1 and ${MAX_PART_NUMBER}, inclusive`,
  );
}

function uploadOf(call: Call): Promise<UploadRecord> {
  const { bucket, key } = target(call);
  return call.backend.getUpload(bucket, key, call.request.query.get("uploadId")!);
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
export async function listParts(call: Call): Promise<HttpResponse> {
  const { bucket, key } = target(call);
  const marker = intParameter(call, "part-number-marker", 0);
  const limit = Math.min(intParameter(call, "max-parts", MAX_PARTS), MAX_PARTS);
  const upload = await uploadOf(call);
  const all = await call.backend.listParts(bucket, key, upload.uploadId);
  const rest = all.filter(({ number }) => number > marker);
  const parts = rest.slice(0, limit);
  const truncated = limit > 0 && rest.length > limit;
  return respondXml("ListPartsResult", {
    Bucket: bucket,
    Key: key,
    UploadId: upload.uploadId,
    Initiator: OWNER,
    Owner: OWNER,
    StorageClass: upload.storageClass,
    PartNumberMarker: marker,
    NextPartNumberMarker: parts.at(-1)?.number ?? 0,
    MaxParts: limit,
    IsTruncated: truncated,
    ChecksumAlgorithm: upload.checksum?.algorithm,
    ChecksumType: upload.checksum?.type,
    Part: parts.map((part) => ({
      PartNumber: part.number,
      LastModified: part.lastModified.toISOString(),
      ETag: quoted(part.etag),
      Size: part.size,
      ...checksumElement(part.checksum),
    })),
  });
}
