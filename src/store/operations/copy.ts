/** CopyObject (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html). */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { HttpResponse } from "../../protocol/message.js";
import type { ObjectInit, ObjectRecord, Sealing, StoredChecksum } from "../records.js";
import type { OpenBlob } from "../disk/reader.js";
import type { StagedBlob } from "../disk/stage.js";
import { refuse } from "../refuse.js";
import { respondXml } from "../response.js";
import { type CustomerKey, customerKey, keyHeaders, newSealing } from "../sealing/customer-key.js";
import { seal, type Sealed } from "../sealing/stream.js";
import {
  type Call,
  invalidArgument,
  quoted,
  refuseSelectors,
  target,
  versionHeader,
} from "./call.js";
import { writePreconditions } from "./conditions.js";
import {
  copiedVersion,
  type CopySource,
  openCopySource,
  parseCopySource,
  stageMeasured,
} from "./copy-source.js";
import { checksumElement, objectInit, requestedAlgorithm } from "./object-headers.js";
import { DEFAULT_CHECKSUM, MAX_SINGLE_BYTES, staging, storedChecksum } from "./write.js";

export async function copyObject(call: Call): Promise<HttpResponse> {
  const { backend, request } = call;
  refuseSelectors(call);
  const { bucket, key } = target(call);
  const from = parseCopySource(call);
  const home = await backend.getBucket(bucket);
  const given = objectInit(request, home);
  const replaceMetadata = isReplace(call, "metadata-directive");
  const replaceTags = isReplace(call, "tagging-directive");
  const algorithm = requestedAlgorithm(request);
  if (!replaceMetadata) refuseSelfCopy(call, from, given);

  const source = await openCopySource(call, from);
  const { record } = source;
  if (record.size > MAX_SINGLE_BYTES) {
    await source.close();
    throw refuse(
      "InvalidRequest",
      `The specified copy source is larger than the maximum allowable size for a copy source: ${MAX_SINGLE_BYTES}`,
    );
  }
  const init: ObjectInit = {
    headers: replaceMetadata ? given.headers : record.headers,
    metadata: replaceMetadata ? given.metadata : record.metadata,
    storageClass: given.storageClass,
    tags: replaceTags ? given.tags : record.tags,
    acl: given.acl,
  };
  const customer = customerKey(request);
  const sealing = customer && newSealing(customer);
  const { blob, ...digests } = await stageSource(call, source, algorithm, customer, sealing);
  const about = { ...init, ...digests, sealing, size: record.size };
  const copied = await staging(Promise.resolve(blob), () =>
    backend.putObject(bucket, key, blob, about, writePreconditions(request)),
  );
  const content = {
    LastModified: copied.lastModified.toISOString(),
    ETag: quoted(copied.etag),
    ChecksumType: copied.checksum?.type,
    ...checksumElement(copied.checksum),
  };
  return respondXml("CopyObjectResult", content, {
    ...versionHeader(call, copied.versionId),
    ...keyHeaders(request, customer),
    ...copiedVersion(call, record),
  });
}

interface Plain {
  readonly chunks: AsyncIterable<Uint8Array>;
}

interface Staged {
  readonly blob: StagedBlob;
  readonly etag: string;
  readonly checksum: StoredChecksum;
}

/**
 * Stages the source's bytes: shared on disk where its digests hold for the copy as well, read where
 * they do not (a multipart ETag and a composite checksum describe parts, which the copy has not).
 */
async function stageSource(
  call: Call,
  source: OpenBlob,
  algorithm: ChecksumAlgorithm | undefined,
  customer: CustomerKey | undefined,
  sealing: Sealing | undefined,
): Promise<Staged> {
  const { record } = source;
  if (
    customer === undefined &&
    record.sealing === undefined &&
    hasOwnDigests(record) &&
    (algorithm ?? record.checksum.algorithm) === record.checksum.algorithm
  ) {
    try {
      const blob = await call.backend.stageCopy(source);
      return { blob, etag: record.etag, checksum: record.checksum };
    } finally {
      await source.close();
    }
  }
  const computed = algorithm ?? record.checksum?.algorithm ?? DEFAULT_CHECKSUM;
  const whole = { start: 0, end: record.size - 1 };
  const read = (chunks: AsyncIterable<Uint8Array>): Sealed | Plain =>
    customer === undefined ? { chunks } : seal(chunks, customer.bytes, sealing!.salt);
  const {
    blob,
    digests,
    sealing: sealed,
  } = await stageMeasured(call, source, whole, [computed], read);
  return {
    blob,
    etag: "etag" in sealed ? sealed.etag() : digests.md5.toString("hex"),
    checksum: storedChecksum(digests, computed),
  };
}

function hasOwnDigests(
  record: ObjectRecord,
): record is ObjectRecord & { readonly checksum: StoredChecksum } {
  return /^[\da-f]{32}$/.test(record.etag) && record.checksum?.type === "FULL_OBJECT";
}

/** Copying an object onto itself must change something. */
function refuseSelfCopy(call: Call, from: CopySource, given: ObjectInit): void {
  const { bucket, key } = target(call);
  const same = from.bucket === bucket && from.key === key && from.versionId === undefined;
  const changes =
    given.storageClass !== "STANDARD" ||
    isReplace(call, "tagging-directive") ||
    customerKey(call.request) !== undefined ||
    requestedAlgorithm(call.request) !== undefined;
  if (!same || changes) return;
  throw refuse(
    "InvalidRequest",
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  );
}

function isReplace({ request }: Call, directive: string): boolean {
  const name = request.vendor(directive);
  const value = request.header(name);
  if (value === undefined || value === "COPY") return false;
  if (value === "REPLACE") return true;
  throw invalidArgument(name, value, `Unknown ${directive.replace("-", " ")}.`);
}
