/** Multipart uploads (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). */
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from "../../protocol/checksum.js";
import { vendorHeader } from "../../protocol/dialect.js";
import { bodyLength } from "../../protocol/message.js";
import { type XmlElement, childText, childrenOf } from "../../protocol/xml.js";
import { AppError, isAppError } from "../failures/errors.js";
import type { SignedClient } from "../http/client.js";
import { completer } from "./complete.js";
import { requestDocument } from "./documents.js";
import { decodeKey } from "./list-scanner.js";
import { bareETag, checksumHeader, readChecksums, writeHeaders } from "./object-headers.js";
import { copySourceHeaders, drain } from "./objects.js";
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

  const createUpload: Multipart["createUpload"] = async (key, options = {}) => {
    const { document } = await requestDocument(client, {
      method: "POST",
      bucket,
      key,
      query: { uploads: "" },
      headers: {
        ...writeHeaders(dialect, options),
        [vendor("checksum-algorithm")]: options.checksumAlgorithm,
        [vendor("checksum-type")]: options.checksumType,
      },
      signal: options.signal,
      onRetry: options.onRetry,
    });
    const uploadId = childText(document, "UploadId");
    if (!uploadId) throw incomplete(`the upload of ${bucket}/${key} was given no id`);
    return uploadId;
  };

  const uploadPart: Multipart["uploadPart"] = async (key, uploadId, partNumber, body, options) => {
    const { checksum, payload, payloadHash, signal, onBytes, onRetry } = options ?? {};
    let sent = 0;
    const response = await client.request({
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
    });
    await drain(response);
    const etag = bareETag(response.headers["etag"]);
    if (!etag) throw incomplete(`part ${partNumber} of ${bucket}/${key} was given no ETag`);
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
    const { document } = await requestDocument(client, {
      method: "PUT",
      bucket,
      key,
      query: { partNumber: String(partNumber), uploadId },
      headers: {
        ...copySourceHeaders(client, source),
        [vendor("copy-source-range")]: `bytes=${range.start}-${range.end}`,
      },
      signal: options?.signal,
    });
    const etag = bareETag(childText(document, "ETag"));
    if (!etag) throw incomplete(`part ${partNumber} of ${bucket}/${key} was given no ETag`);
    const size = range.end - range.start + 1;
    return { partNumber, size, etag, checksums: documentChecksums(document) };
  };

  const abortUpload: Multipart["abortUpload"] = async (key, uploadId, options) => {
    const { signal } = options ?? {};
    try {
      await drain(
        await client.request({ method: "DELETE", bucket, key, query: { uploadId }, signal }),
      );
    } catch (error) {
      if (!isAppError(error) || error.code !== "NoSuchUpload") throw error;
    }
  };

  const listParts: Multipart["listParts"] = (key, uploadId, options) =>
    pages<PartEntry, string>(
      async (marker, signal) => {
        const query = { uploadId, "part-number-marker": marker };
        const spec = { method: "GET", bucket, key, query, signal };
        const { document } = await requestDocument(client, spec);
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
        const query = { uploads: "", "encoding-type": "url", prefix, ...marker };
        const spec = { method: "GET", bucket, query, signal };
        const { document } = await requestDocument(client, spec);
        const decode =
          childText(document, "EncodingType") === "url" ? decodeKey : (text: string) => text;
        const entries = childrenOf(document, "Upload").map((upload) => readUpload(upload, decode));
        const next = {
          "key-marker": decode(childText(document, "NextKeyMarker") ?? ""),
          "upload-id-marker": childText(document, "NextUploadIdMarker") ?? "",
        };
        return { entries, next: truncated(document) ? next : undefined };
      },
      { subject: `the list of uploads of ${bucket}`, lookahead: false, signal: options?.signal },
    );

  return {
    createUpload,
    uploadPart,
    uploadPartCopy,
    completeUpload: completer(client, bucket),
    abortUpload,
    listParts,
    listUploads,
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

function incomplete(message: string): AppError {
  return new AppError({ kind: "unavailable", code: "InvalidResponse", message });
}
