/** PutObject (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html). */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { HttpResponse } from "../../protocol/message.js";
import type { StoredChecksum } from "../records.js";
import type { StagedBlob } from "../disk/stage.js";
import { openBody } from "../body/body.js";
import { promisedChecksum } from "../body/expected.js";
import type { Digests } from "../body/digests.js";
import { refuse } from "../refuse.js";
import { respond } from "../response.js";
import { customerKey, keyHeaders, newSealing } from "../sealing/customer-key.js";
import { seal } from "../sealing/stream.js";
import { type Call, quoted, refuseSelectors, target, versionHeader } from "./call.js";
import { writePreconditions } from "./conditions.js";
import { checksumHeaders, objectInit } from "./object-headers.js";

/** The largest object one request may write or copy, and the largest part: 5 GiB. */
export const MAX_SINGLE_BYTES = 5 * 1024 * 1024 * 1024;

/** The checksum that S3 computes when a client sends none of its own. */
export const DEFAULT_CHECKSUM = "CRC64NVME";

export async function putObject(call: Call): Promise<HttpResponse> {
  const { backend, request, auth } = call;
  refuseSelectors(call);
  const { bucket, key } = target(call);
  const home = await backend.getBucket(bucket);
  const init = objectInit(request, home);
  const preconditions = writePreconditions(request);
  const algorithm = promisedChecksum(request)?.algorithm ?? DEFAULT_CHECKSUM;
  const body = openBody(request, auth, [algorithm]);
  checkSize(body.length);

  const customer = customerKey(request);
  const sealing = customer && newSealing(customer);
  const sealed = customer && seal(body.chunks, customer.bytes, sealing!.salt);
  const record = await staging(backend.stage(sealed?.chunks ?? body.chunks), (blob) => {
    const digests = body.digests();
    const checksum = storedChecksum(digests, algorithm);
    const etag = sealed?.etag() ?? digests.md5.toString("hex");
    const about = { ...init, etag, checksum, sealing, size: body.length };
    return backend.putObject(bucket, key, blob, about, preconditions);
  });
  return respond(200, {
    etag: quoted(record.etag),
    ...checksumHeaders(request, record.checksum),
    ...keyHeaders(request, customer),
    ...versionHeader(call, record.versionId),
  });
}

/** Throws EntityTooLarge above what one request may carry. */
export function checkSize(size: number): void {
  if (size <= MAX_SINGLE_BYTES) return;
  throw refuse("EntityTooLarge", undefined, {
    ProposedSize: String(size),
    MaxSizeAllowed: String(MAX_SINGLE_BYTES),
  });
}

/** Commits a staged blob, and leaves nothing behind when the commit is refused. */
export async function staging<T>(
  staged: Promise<StagedBlob>,
  commit: (blob: StagedBlob) => Promise<T>,
): Promise<T> {
  const blob = await staged;
  try {
    return await commit(blob);
  } catch (error) {
    await blob.discard();
    throw error;
  }
}

/** A whole object's checksum as it is kept. */
export function storedChecksum(digests: Digests, algorithm: ChecksumAlgorithm): StoredChecksum {
  const value = digests.checksums.get(algorithm)!.toString("base64");
  return { algorithm, value, type: "FULL_OBJECT" };
}
