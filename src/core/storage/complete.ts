/** The end of a multipart upload, when its parts become an object. */
import { createHash } from "node:crypto";

import { vendorHeader } from "../../protocol/dialect.js";
import { childText } from "../../protocol/xml.js";
import { isAppError } from "../failures/errors.js";
import type { RequestSpec, SignedClient } from "../http/client.js";
import { type OneWrite, conditionally, ownObject } from "./conditional.js";
import { requestDocument, xmlRequest } from "./documents.js";
import { bareETag, checksumHeader, quoted } from "./object-headers.js";
import type { BucketStorage, CompletedPart } from "./s3-types.js";

/** Makes the `completeUpload` of one bucket. */
export function completer(client: SignedClient, bucket: string): BucketStorage["completeUpload"] {
  const { dialect } = client;
  const versionIdHeader = vendorHeader(dialect, "version-id");

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
    const own = {
      ...headers,
      ...(checksum && { [checksumHeader(dialect, checksum.algorithm)]: checksum.value }),
      [vendorHeader(dialect, "checksum-type")]: checksumType,
    };
    const write: OneWrite = {
      client,
      bucket,
      key,
      options: {
        ...options,
        onRetry: (retry) => {
          repeated = true;
          options.onRetry?.(retry);
        },
      },
      send: async (condition, how) => {
        const sent = { ...own, ...condition };
        const query = { uploadId };
        const spec: RequestSpec = { method: "POST", bucket, key, query, body, signal, ...how };
        const { document, response } = await requestDocument(
          client,
          { ...spec, headers: sent },
          // The second is what moto 5.2 says.
          ["CompleteMultipartUploadResult", "CompleteMultipartUploadResponse"],
          "ETag",
        );
        const etag = bareETag(childText(document, "ETag"));
        return { etag, versionId: response.headers[versionIdHeader] };
      },
      etag: () => multipartETag(parts),
    };
    try {
      return await conditionally(write);
    } catch (error) {
      // The upload is gone because the try before, whose answer was lost, had completed it.
      const gone = repeated && isAppError(error) && error.code === "NoSuchUpload";
      const made = gone ? await ownObject(write) : undefined;
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
