/** What a bucket on an S3 service can do beyond `Storage`: multipart, server-side copy, tags. */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { RequestBody } from "../../protocol/message.js";
import type { SignedClient } from "../http/client.js";
import type { ObjectHeaders, Storage, WriteOptions, WriteResult } from "./storage.js";

export interface UploadEntry {
  readonly key: string;
  readonly uploadId: string;
  /** Milliseconds since the epoch. */
  readonly initiated?: number | undefined;
  readonly storageClass?: string | undefined;
}

export interface PartEntry {
  readonly partNumber: number;
  readonly size: number;
  readonly etag: string;
  /** Base64, by algorithm, when the service returned one. */
  readonly checksums: Readonly<Partial<Record<ChecksumAlgorithm, string>>>;
}

export interface CompletedPart {
  readonly partNumber: number;
  readonly etag: string;
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string } | undefined;
}

/** An object somewhere on the same service. */
export interface CopySource {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
  /** Fails with PreconditionFailed unless the source still has this ETag. */
  readonly ifMatch?: string | undefined;
}

export interface CopyOptions extends ObjectHeaders {
  /** REPLACE takes the headers given here instead of the source's. Default COPY. */
  readonly metadataDirective?: "COPY" | "REPLACE" | undefined;
  readonly ifNoneMatch?: "*" | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BucketStorage extends Storage {
  readonly kind: "s3";
  readonly bucket: string;
  readonly client: SignedClient;

  /** Copies within the service without moving bytes here; the source is at most 5 GiB. */
  copyFrom(key: string, source: CopySource, options?: CopyOptions): Promise<WriteResult>;

  createUpload(
    key: string,
    options?: Omit<WriteOptions, "checksum" | "onBytes"> & {
      readonly checksumAlgorithm?: ChecksumAlgorithm | undefined;
      readonly checksumType?: "FULL_OBJECT" | "COMPOSITE" | undefined;
    },
  ): Promise<string>;
  uploadPart(
    key: string,
    uploadId: string,
    partNumber: number,
    body: RequestBody,
    options?: Pick<
      WriteOptions,
      "checksum" | "signal" | "onBytes" | "onRetry" | "payload" | "payloadHash"
    >,
  ): Promise<PartEntry>;
  uploadPartCopy(
    key: string,
    uploadId: string,
    partNumber: number,
    source: CopySource,
    range: { readonly start: number; readonly end: number },
    options?: { signal?: AbortSignal },
  ): Promise<PartEntry>;
  completeUpload(
    key: string,
    uploadId: string,
    parts: readonly CompletedPart[],
    options?: Pick<WriteOptions, "checksum" | "ifNoneMatch" | "ifMatch" | "signal" | "onRetry"> & {
      readonly checksumType?: "FULL_OBJECT" | "COMPOSITE" | undefined;
    },
  ): Promise<WriteResult>;
  /** Aborting an upload that is not there is a success. */
  abortUpload(key: string, uploadId: string, options?: { signal?: AbortSignal }): Promise<void>;
  listParts(
    key: string,
    uploadId: string,
    options?: { signal?: AbortSignal },
  ): AsyncIterable<PartEntry[]>;
  listUploads(options?: { prefix?: string; signal?: AbortSignal }): AsyncIterable<UploadEntry[]>;

  getTags(key: string, options?: { versionId?: string }): Promise<Record<string, string>>;
  setTags(
    key: string,
    tags: Readonly<Record<string, string>>,
    options?: { versionId?: string },
  ): Promise<void>;
  /** A URL anybody can use for `expiresIn` seconds (at most 604,800). */
  presign(
    method: "GET" | "PUT",
    key: string,
    expiresIn: number,
    options?: { versionId?: string; contentType?: string },
  ): Promise<URL>;
}

export interface BucketEntry {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly created?: number | undefined;
}

/** The control plane of one service. */
export interface BucketService {
  list(options?: { signal?: AbortSignal }): Promise<BucketEntry[]>;
  /** Whether the bucket is there and may be read; throws on anything but yes and no. */
  exists(bucket: string): Promise<boolean>;
  /** With `ignoreExisting`, a bucket that is already yours is a success. */
  make(bucket: string, options?: { ignoreExisting?: boolean; versioning?: boolean }): Promise<void>;
  /** Throws BucketNotEmpty. */
  remove(bucket: string): Promise<void>;
  getVersioning(bucket: string): Promise<"Enabled" | "Suspended" | undefined>;
  setVersioning(bucket: string, state: "Enabled" | "Suspended"): Promise<void>;
  getTags(bucket: string): Promise<Record<string, string>>;
  setTags(bucket: string, tags: Readonly<Record<string, string>>): Promise<void>;
}
