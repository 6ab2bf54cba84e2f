/** Multipart uploads (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). */
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from "../../protocol/checksum.js";
import { vendorHeader } from "../../protocol/dialect.js";
import { bodyLength } from "../../protocol/message.js";
import { type XmlElement, childText, childrenOf } from "../../protocol/xml.js";
import { isAppError } from "../failures/errors.js";
import type { SignedClient } from "../http/client.js";
import { completer } from "./complete.js";
import { requestDocument, requestDone } from "./documents.js";
import { decodeKey } from "./key-encoding.js";
import { bareETag, checksumHeader, readChecksums } from "./object-headers.js";
import { copySourceHeaders } from "./objects.js";
import { starter } from "./create-upload.js";
import { pages } from "./pages.js";
import type { BucketStorage, PartEntry, UploadEntry } from "./s3-types.js";

type Multipart = Pick<
  BucketStorage,
  | "createUpload"
  | "uploadPart"
  | "uploadPartCopy"
  | "completeUpload"
  | "abortUpload"
  | "listParts"
  | "listUploads"
>;

/** The multipart uploads of one bucket. */
export function multipart(client: SignedClient, bucket: string): Multipart {
  const { dialect } = client;
  const vendor = (name: string): string => vendorHeader(dialect, name);

  const uploadPart: Multipart["uploadPart"] = async (key, uploadId, partNumber, body, options) => {
    const { checksum, payload, payloadHash, signal, onBytes, onRetry } = options ?? {};
    let sent = 0;
    const response = await requestDone(
      client,
      {
        method: "PUT",
        bucket,
        key,
        query: { partNumber: String(partNumber), uploadId },
        headers:
          checksum === undefined
            ? undefined
            : { [checksumHeader(dialect, checksum.algorithm)]: checksum.value },
        body,
        payload,
        payloadHash,
        signal,
        onSent: (count) => {
          sent += count;
          onBytes?.(count);
        },
        onRetry,
      },
      "etag",
    );
    const etag = bareETag(response.headers["etag"])!;
    const checksums = readChecksums(dialect, response.headers);
    return { partNumber, size: bodyLength(body) ?? sent, etag, checksums };
  };

  const uploadPartCopy: Multipart["uploadPartCopy"] = async (
    key,
    uploadId,
    partNumber,
    source,
    range,
    options,
  ) => {
    const { document } = await requestDocument(
      client,
      {
        method: "PUT",
        bucket,
        key,
        query: { partNumber: String(partNumber), uploadId },
        headers: {
          ...copySourceHeaders(client, source),
          [vendor("copy-source-range")]: `bytes=${range.start}-${range.end}`,
        },
        signal: options?.signal,
      },
      "CopyPartResult",
      "ETag",
    );
    const etag = bareETag(childText(document, "ETag"))!;
    const size = range.end - range.start + 1;
    return { partNumber, size, etag, checksums: documentChecksums(document) };
  };

  const abortUpload: Multipart["abortUpload"] = async (key, uploadId, options) => {
    const { signal } = options ?? {};
    try {
      await requestDone(client, { method: "DELETE", bucket, key, query: { uploadId }, signal });
    } catch (error) {
      if (!isAppError(error) || error.code !== "NoSuchUpload") throw error;
    }
  };

  const listParts: Multipart["listParts"] = (key, uploadId, options) =>
    pages<PartEntry, string>(
      async (marker, signal) => {
        const query = { uploadId, "part-number-marker": marker };
        const spec = { method: "GET", bucket, key, query, signal };
        const { document } = await requestDocument(client, spec, "ListPartsResult");
        const entries = childrenOf(document, "Part").map(readPart);
        const next = childText(document, "NextPartNumberMarker") ?? entries.at(-1)?.partNumber;
        return { entries, next: truncated(document) ? String(next) : undefined };
      },
      {
        subject: `the list of parts of ${bucket}/${key}`,
        lookahead: false,
        signal: options?.signal,
      },
    );

  const listUploads: Multipart["listUploads"] = (options) =>
    pages<UploadEntry, { "key-marker": string; "upload-id-marker": string }>(
      async (marker, signal) => {
        const prefix = options?.prefix || undefined;
        const ask = async (encoding?: string) => {
          const query = { uploads: "", "encoding-type": encoding, prefix, ...marker };
          const spec = { method: "GET", bucket, query, signal };
          return (await requestDocument(client, spec, "ListMultipartUploadsResult")).document;
        };
        let document = await ask("url");
        const isEncoded = childText(document, "EncodingType") === "url";
        const keys = childrenOf(document, "Upload").map((upload) => childText(upload, "Key"));
        // Ceph's gateway encodes keys when it is asked to, and does not say that it did.
        if (!isEncoded && keys.some((key) => key?.includes("%"))) document = await ask();
        const decode = isEncoded ? decodeKey : (text: string) => text;
        const entries = childrenOf(document, "Upload").map((upload) => readUpload(upload, decode));
        const next = {
          "key-marker": decode(childText(document, "NextKeyMarker") ?? ""),
          "upload-id-marker": childText(document, "NextUploadIdMarker") ?? "",
        };
        return { entries, next: truncated(document) ? next : undefined };
      },
      { subject: `the list of uploads of ${bucket}`, lookahead: false, signal: options?.signal },
    );

  const rest = { abortUpload, listParts, listUploads };
  return {
    ...rest,
    createUpload: starter(client, bucket, rest),
    uploadPart,
    uploadPartCopy,
    completeUpload: completer(client, bucket),
  };
}

function truncated(document: XmlElement): boolean {
  return childText(document, "IsTruncated") === "true";
}

function readPart(part: XmlElement): PartEntry {
  return {
    partNumber: Number(childText(part, "PartNumber")),
    size: Number(childText(part, "Size") ?? 0),
    etag: bareETag(childText(part, "ETag")) ?? "",
    checksums: documentChecksums(part),
  };
}

function readUpload(upload: XmlElement, decode: (text: string) => string): UploadEntry {
  const initiated = Date.parse(childText(upload, "Initiated") ?? "");
  return {
    key: decode(childText(upload, "Key") ?? ""),
    uploadId: childText(upload, "UploadId") ?? "",
    initiated: Number.isNaN(initiated) ? undefined : initiated,
    storageClass: childText(upload, "StorageClass"),
  };
}

function documentChecksums(element: XmlElement): Partial<Record<ChecksumAlgorithm, string>> {
  const checksums: Partial<Record<ChecksumAlgorithm, string>> = {};
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const value = childText(element, `Checksum${algorithm}`);
    if (value) checksums[algorithm] = value;
  }
  return checksums;
}
