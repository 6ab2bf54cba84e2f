/**
 * The start of a multipart upload. The request is not idempotent: when its answer is lost, it may
 * have begun an upload whose id is unknown. It is repeated all the same, and uploads that lost
 * tries began are ended.
 */
import { vendorHeader } from "../../protocol/dialect.js";
import { childText } from "../../protocol/xml.js";
import { factsOf } from "../failures/codes.js";
import { isAppError } from "../failures/errors.js";
import type { SignedClient } from "../http/client.js";
import { requestDocument } from "./documents.js";
import { writeHeaders } from "./object-headers.js";
import type { BucketStorage, UploadEntry } from "./s3-types.js";

/** Milliseconds that the times of a listing may be rounded by. */
const ROUNDING = 2_000;

/** Makes the `createUpload` of one bucket. */
export function starter(
  client: SignedClient,
  bucket: string,
  uploads: Pick<BucketStorage, "abortUpload" | "listParts" | "listUploads">,
): BucketStorage["createUpload"] {
  const vendor = (name: string): string => vendorHeader(client.dialect, name);

  /**
   * Ends the uploads that lost tries began: of this key, without a part, begun while this one was
   * tried for, and no more of them than tries were lost. Where there are more, one of them may be
   * somebody else's: then all stay.
   */
  const endLost = async (key: string, uploadId: string, lost: number, elapsed: number) => {
    const found: UploadEntry[] = [];
    for await (const page of uploads.listUploads({ prefix: key })) {
      found.push(...page.filter((upload) => upload.key === key));
    }
    const begun = found.find((upload) => upload.uploadId === uploadId)?.initiated;
    if (begun === undefined) return;
    const candidates: string[] = [];
    for (const { uploadId: other, initiated = -Infinity } of found) {
      const since = begun - initiated;
      if (other === uploadId || since > elapsed + ROUNDING || since < -ROUNDING) continue;
      if (await isEmpty(key, other)) candidates.push(other);
    }
    if (candidates.length > lost) return;
    for (const other of candidates) await uploads.abortUpload(key, other);
  };

  const isEmpty = async (key: string, uploadId: string): Promise<boolean> => {
    for await (const parts of uploads.listParts(key, uploadId)) if (parts.length > 0) return false;
    return true;
  };

  return async (key, options = {}) => {
    const started = performance.now();
    let lost = 0;
    const { document } = await requestDocument(
      client,
      {
        method: "POST",
        bucket,
        key,
        query: { uploads: "" },
        headers: {
          ...writeHeaders(client.dialect, options),
          [vendor("checksum-algorithm")]: options.checksumAlgorithm,
          [vendor("checksum-type")]: options.checksumType,
        },
        idempotent: true,
        signal: options.signal,
        onRetry: (retry) => {
          if (factsOf(retry.code)?.retry !== "unprocessed") lost += 1;
          options.onRetry?.(retry);
        },
      },
      "InitiateMultipartUploadResult",
      "UploadId",
    );
    const uploadId = childText(document, "UploadId")!;
    if (lost > 0) {
      await endLost(key, uploadId, lost, performance.now() - started).catch((error: unknown) => {
        // An empty upload costs nothing and may stay: the one that was asked for has begun.
        if (!isAppError(error) || error.kind === "bug") throw error;
      });
    }
    return uploadId;
  };
}
