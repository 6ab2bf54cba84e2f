/** The end of a multipart upload, when its parts become an object. */
import { createHash } from "node:crypto";

import { vendorHeader } from "../../protocol/dialect.js";
import { childText } from "../../protocol/xml.js";
import { isAppError } from "../failures/errors.js";
import type { RequestSpec, SignedClient } from "../http/client.js";
import { judgeError } from "../http/retry.js";
import { conditionally } from "./conditional.js";
import { requestDocument, xmlRequest } from "./documents.js";
import { bareETag, checksumHeader, quoted } from "./object-headers.js";
import { unconditional } from "./objects.js";
import type { BucketStorage, CompletedPart } from "./s3-types.js";
import type { WriteResult } from "./storage.js";

/** Makes the `completeUpload` of one bucket. */
export function completer(client: SignedClient, bucket: string): BucketStorage["completeUpload"] {
  const { dialect } = client;
  const versionIdHeader = vendorHeader(dialect, "version-id");

  /** The object, when it is there and made of exactly these parts. */
  const madeOf = async (
    key: string,
    parts: readonly CompletedPart[],
    signal: AbortSignal | undefined,
  ): Promise<WriteResult | undefined> => {
    const expected = multipartETag(parts);
    const response = await client
      .rawRequest({ method: "HEAD", bucket, key, signal })
      // Then it stays unknown, and the error that led here is the one to tell.
      .catch(() => undefined);
    if (response === undefined) return undefined;
    const etag = bareETag(response.headers["etag"]);
    if (response.status !== 200 || etag === undefined || etag !== expected) return undefined;
    return { etag, versionId: response.headers[versionIdHeader] };
  };

  return async (key, uploadId, parts, options = {}) => {
    const { checksum, checksumType, signal } = options;
    const { body, headers } = xmlRequest("CompleteMultipartUpload", {
      Part: parts.map((part) => ({
        PartNumber: part.partNumber,
        ETag: quoted(part.etag),
        ...(part.checksum && { [`Checksum${part.checksum.algorithm}`]: part.checksum.value }),
      })),
    });
    let repeated = false;
    try {
      const spec: RequestSpec = {
        method: "POST",
        bucket,
        key,
        query: { uploadId },
        body,
        idempotent: unconditional(options),
        signal,
        onRetry: (retry) => {
          repeated = true;
          options.onRetry?.(retry);
        },
      };
      const own = {
        ...headers,
        ...(checksum && { [checksumHeader(dialect, checksum.algorithm)]: checksum.value }),
        [vendorHeader(dialect, "checksum-type")]: checksumType,
      };
      const { document, response } = await conditionally(
        { client, bucket, key },
        options,
        (condition) => {
          const conditional = { ...spec, headers: { ...own, ...condition } };
          return requestDocument(client, conditional, "CompleteMultipartUploadResult", "ETag");
        },
      );
      const etag = bareETag(childText(document, "ETag"));
      return { etag, versionId: response.headers[versionIdHeader] };
    } catch (error) {
      // The upload is gone because the try before, whose answer was lost, had completed it; a
      // conditional one is not tried again, but may have been the one that did.
      const gone = repeated && isAppError(error) && error.code === "NoSuchUpload";
      const unheard = !unconditional(options) && judgeError(error).retry === "idempotent";
      const made = gone || unheard ? await madeOf(key, parts, signal) : undefined;
      if (made === undefined) throw error;
      return made;
    }
  };
}

/** The MD5 of the parts' MD5s and their number; undefined when an ETag is not an MD5. */
function multipartETag(parts: readonly CompletedPart[]): string | undefined {
  const digests = createHash("md5");
  for (const { etag } of parts) {
    const bare = bareETag(etag) ?? "";
    if (!/^[\da-f]{32}$/.test(bare)) return undefined;
    digests.update(bare, "hex");
  }
  return `${digests.digest("hex")}-${parts.length}`;
}
