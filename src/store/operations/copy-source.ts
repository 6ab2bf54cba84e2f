/** The source of a copy: `x-amz-copy-source` and its conditions. */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { ObjectRecord } from "../records.js";
import type { OpenBlob } from "../disk/reader.js";
import type { StagedBlob } from "../disk/stage.js";
import { reaches } from "../access/authorize.js";
import { createDigests, type Digests, digesting } from "../body/digests.js";
import { refuse } from "../refuse.js";
import { customerKey, readPlain, requireKey } from "../sealing/customer-key.js";
import { decodeText } from "../uri.js";
import { isBucketName } from "./bucket-name.js";
import { type Call, invalidArgument } from "./call.js";
import { copySourceConditions, isUnchanged } from "./conditions.js";
import type { ByteRange } from "./range.js";

export interface CopySource {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string | undefined;
}

/** The header that names the version which was copied. */
export function copiedVersion(
  { request }: Call,
  { versionId }: ObjectRecord,
): Record<string, string> {
  return versionId === "null" ? {} : { [request.vendor("copy-source-version-id")]: versionId };
}

/** Parses `/bucket/key?versionId=…`, percent-encoded, the first slash optional. */
export function parseCopySource({ request }: Call): CopySource {
  const name = request.vendor("copy-source");
  const header = request.header(name)!;
  const invalid = () =>
    invalidArgument(
      name,
      header,
      "Copy Source must mention the source bucket and key: sourcebucket/sourcekey",
    );
  const query = header.lastIndexOf("?versionId=");
  const path = decodeText((query < 0 ? header : header.slice(0, query)).replace(/^\//, ""));
  const slash = path.indexOf("/");
  if (slash < 1 || slash === path.length - 1) throw invalid();
  const versionId = query < 0 ? undefined : decodeText(header.slice(query + 11));
  if (versionId === "") throw invalid();
  const bucket = path.slice(0, slash);
  if (!isBucketName(bucket)) throw invalid();
  return { bucket, key: path.slice(slash + 1), versionId };
}

/** Opens the source. Throws when it is a delete marker, or when a condition on it fails. */
export async function openCopySource(call: Call, source: CopySource): Promise<OpenBlob> {
  const { bucket, key, versionId } = source;
  if (!reaches(call.auth.grant, bucket)) throw refuse("AccessDenied");
  const blob = await call.backend.openObject(bucket, key, versionId);
  try {
    if (blob.record.deleteMarker) {
      if (versionId === undefined) throw refuse("NoSuchKey", undefined, { Key: key });
      throw refuse(
        "InvalidRequest",
        "The source of a copy request may not specifically refer to a delete marker by version id.",
      );
    }
    requireKey(blob.record.sealing, customerKey(call.request, "copy-source-"));
    if (isUnchanged(copySourceConditions(call.request), blob.record)) {
      throw refuse("PreconditionFailed", undefined, {
        Condition: call.request.vendor("copy-source-if-none-match"),
      });
    }
    return blob;
  } catch (error) {
    await blob.close();
    throw error;
  }
}

/**
 * Stages bytes of a source, reading them for their digests, as `sealing` makes them to be stored.
 * The source is closed in any case.
 */
export async function stageMeasured<T extends { readonly chunks: AsyncIterable<Uint8Array> }>(
  call: Call,
  source: OpenBlob,
  range: ByteRange,
  algorithms: readonly ChecksumAlgorithm[],
  sealed: (chunks: AsyncIterable<Uint8Array>) => T,
): Promise<{ blob: StagedBlob; digests: Digests; sealing: T }> {
  const digests = createDigests(algorithms);
  try {
    const empty = range.end < range.start;
    const key = customerKey(call.request, "copy-source-");
    const chunks = empty ? nothing() : readPlain(source, key, range.start, range.end);
    const sealing = sealed(digesting(chunks, digests));
    const blob = await call.backend.stage(sealing.chunks);
    return { blob, digests: digests.finish(), sealing };
  } finally {
    await source.close();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
