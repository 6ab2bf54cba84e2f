/**
 * CompleteMultipartUpload
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html).
 */
import { createHash } from "node:crypto";

import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  combineCrc,
  createChecksum,
  isCrc,
} from "../../protocol/checksum.js";
import type { HttpResponse } from "../../protocol/message.js";
import { childText, childrenOf, type XmlElement } from "../../protocol/xml.js";
import type { ObjectRecord, PartRecord, StoredChecksum, UploadRecord } from "../records.js";
import { checksumHeader, checksumsIn } from "../body/expected.js";
import { StoreError } from "../errors.js";
import { refuse } from "../refuse.js";
import { respondXml } from "../response.js";
import { type Call, quoted, requireXml, target, versionHeader } from "./call.js";
import { unquote, writePreconditions } from "./conditions.js";
import { checksumElement } from "./object-headers.js";
import { DEFAULT_CHECKSUM } from "./write.js";

const MAX_PARTS = 10_000;
/** Every part but the last has at least 5 MiB. */
const MIN_PART_BYTES = 5 * 1024 * 1024;

export async function completeUpload(call: Call): Promise<HttpResponse> {
  const { backend, request } = call;
  const { bucket, key } = target(call);
  const uploadId = request.query.get("uploadId")!;
  const document = await requireXml(call, "CompleteMultipartUpload");
  const wanted = childrenOf(document, "Part").map(parsePart);
  if (wanted.length === 0 || wanted.length > MAX_PARTS) throw refuse("MalformedXML");

  const upload = await backend.getUpload(bucket, key, uploadId).catch(unlessNoSuchUpload);
  if (upload === undefined) return completed(call, await completeAgain(call, wanted));
  const parts = matchParts(wanted, await backend.listParts(bucket, key, uploadId), upload);
  checkSizes(request.header(request.vendor("mp-object-size")), parts);
  const checksum = wholeChecksum(upload, parts);
  checkChecksum(call, checksum);
  const etag = wholeETag(parts);

  const record = await backend.completeUpload(
    bucket,
    key,
    uploadId,
    parts,
    { etag, checksum },
    writePreconditions(request),
  );
  return completed(call, record);
}

function completed(call: Call, record: ObjectRecord): HttpResponse {
  const { raw } = call.request;
  const { bucket, key } = target(call);
  const content = {
    Location: `${raw.origin}${raw.path}`,
    Bucket: bucket,
    Key: key,
    ETag: quoted(record.etag),
    ...checksumElement(record.checksum),
    ChecksumType: record.checksum?.type,
  };
  return respondXml(
    "CompleteMultipartUploadResult",
    content,
    versionHeader(call, record.versionId),
  );
}

function unlessNoSuchUpload(error: unknown): undefined {
  if (!(error instanceof StoreError && error.code === "NoSuchUpload")) throw error;
}

/**
 * Answers a client that never saw the answer to its completion and sends it again. The backend
 * knows by number and ETag whether these are the parts the object was made of.
 */
function completeAgain(call: Call, wanted: readonly WantedPart[]): Promise<ObjectRecord> {
  const { bucket, key } = target(call);
  const uploadId = call.request.query.get("uploadId")!;
  const parts = wanted.map(({ number, etag }) => ({
    number,
    etag,
    size: 0,
    lastModified: new Date(0),
  }));
  const result = { etag: wholeETag(wanted) };
  return call.backend.completeUpload(bucket, key, uploadId, parts, result);
}

interface WantedPart {
  readonly number: number;
  readonly etag: string;
  readonly checksums: ReadonlyMap<ChecksumAlgorithm, string>;
}

function parsePart(element: XmlElement): WantedPart {
  const number = childText(element, "PartNumber")?.trim() ?? "";
  const etag = childText(element, "ETag")?.trim();
  if (!/^\d{1,5}$/.test(number) || etag === undefined) throw refuse("MalformedXML");
  const checksums = new Map<ChecksumAlgorithm, string>();
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const value = childText(element, `Checksum${algorithm}`);
    if (value !== undefined) checksums.set(algorithm, value);
  }
  return { number: Number(number), etag: unquote(etag), checksums };
}

/** The parts that are there for those wanted. Throws InvalidPartOrder, InvalidPart. */
function matchParts(
  wanted: readonly WantedPart[],
  present: readonly PartRecord[],
  { uploadId, checksum: named }: UploadRecord,
): PartRecord[] {
  const byNumber = new Map(present.map((part) => [part.number, part]));
  let previous = 0;
  return wanted.map(({ number, etag, checksums }) => {
    if (number <= previous) throw refuse("InvalidPartOrder", undefined, { UploadId: uploadId });
    previous = number;
    const part = byNumber.get(number);
    const stored = part?.checksum;
    // If the upload names no algorithm, a part may have come with any; it was checked then.
    const agrees = [...checksums].every(([algorithm, value]) =>
      stored?.algorithm === algorithm ? stored.value === value : named === undefined,
    );
    if (part?.etag !== etag || !agrees) {
      throw refuse("InvalidPart", undefined, {
        UploadId: uploadId,
        PartNumber: String(number),
        ETag: etag,
      });
    }
    return part;
  });
}

function checkSizes(declared: string | undefined, parts: readonly PartRecord[]): void {
  const small = parts.slice(0, -1).find(({ size }) => size < MIN_PART_BYTES);
  if (small !== undefined) {
    throw refuse("EntityTooSmall", undefined, {
      ProposedSize: String(small.size),
      MinSizeAllowed: String(MIN_PART_BYTES),
      PartNumber: String(small.number),
      ETag: small.etag,
    });
  }
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (declared !== undefined && declared !== String(size)) {
    throw refuse(
      "InvalidRequest",
      `The object has ${size} bytes, not the ${declared} that the request declares.`,
    );
  }
}

/** The MD5 of the parts' MD5s, and how many they were. */
function wholeETag(parts: readonly { readonly etag: string }[]): string {
  const hash = createHash("md5");
  for (const { etag } of parts) hash.update(Buffer.from(etag, "hex"));
  return `${hash.digest("hex")}-${parts.length}`;
}

/** The object's checksum from those of its parts: combined, or a checksum of checksums. */
function wholeChecksum(upload: UploadRecord, parts: readonly PartRecord[]): StoredChecksum {
  const { algorithm, type } = upload.checksum ?? {
    algorithm: DEFAULT_CHECKSUM,
    type: "FULL_OBJECT",
  };
  const digests = parts.map(({ checksum }): Buffer => Buffer.from(checksum!.value, "base64"));
  if (type === "FULL_OBJECT" && isCrc(algorithm)) {
    const whole = digests.reduce((sum, digest, index) =>
      combineCrc(algorithm, sum, digest, parts[index]!.size),
    );
    return { algorithm, type, value: whole.toString("base64") };
  }
  const checksum = createChecksum(algorithm);
  for (const digest of digests) checksum.update(digest);
  return { algorithm, type, value: `${checksum.digest().toString("base64")}-${parts.length}` };
}

/** Compares with the whole object's checksum and its type, where the client sends them. */
function checkChecksum({ request }: Call, checksum: StoredChecksum): void {
  const type = request.header(request.vendor("checksum-type"))?.toUpperCase();
  if (type !== undefined && type !== checksum.type) {
    throw refuse(
      "InvalidRequest",
      `The upload was created with the ${checksum.type} checksum type; the complete request has ${type}.`,
    );
  }
  const other = checksumsIn(request).find((algorithm) => algorithm !== checksum.algorithm);
  if (other !== undefined) {
    throw refuse(
      "InvalidRequest",
      `The object has a ${checksum.algorithm} checksum; the complete request has one of ${other}.`,
    );
  }
  const expected = request.header(request.vendor(checksumHeader(checksum.algorithm)));
  const given = expected?.replace(/-\d+$/, "");
  if (given === undefined || given === checksum.value.replace(/-\d+$/, "")) return;
  throw refuse(
    "BadDigest",
    `The ${checksum.algorithm} you specified did not match the calculated checksum.`,
  );
}
