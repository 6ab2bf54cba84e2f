/** The abilities of a bucket, and of a service with its buckets. */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { RequestBody } from "../../protocol/message.js";
import type { SignedClient } from "../http/client.js";
import type {
  Entry,
  ListOptions,
  ObjectHeaders,
  ObjectInfo,
  OpenObject,
  ReadOptions,
  RemoveOptions,
  RemoveResult,
  RemoveTarget,
  Restore,
  WriteCondition,
  WriteOptions,
  WriteResult,
} from "./storage.js";

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

export interface CopyOptions extends ObjectHeaders, WriteCondition {
  /** REPLACE takes the headers given here instead of the source's. Default COPY. */
  readonly metadataDirective?: "COPY" | "REPLACE" | undefined;
  /** Encryption of what is made. Default: as the bucket has it. */
  readonly encryption?: WriteOptions["encryption"];
  readonly signal?: AbortSignal | undefined;
  /** Called before the request is tried again. */
  readonly onRetry?: WriteOptions["onRetry"];
}

/** A bucket on an S3 service. Every method that fails throws an AppError. */
export interface BucketStorage {
  /** Read as it was at this moment, in milliseconds; see at.ts. Not given: as it is. */
  readonly at?: number | undefined;
  readonly bucket: string;
  readonly client: SignedClient;

  /** The entries, page by page, in the order of the keys' UTF-8 bytes. */
  list(options?: ListOptions): AsyncIterable<Entry[]>;

  /** Throws NoSuchKey (kind not-found) when there is no such object. */
  stat(
    key: string,
    options?: { versionId?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<ObjectInfo>;

  /** Opens an object for reading; resolves once its metadata is known. */
  read(key: string, options?: ReadOptions): Promise<OpenObject>;

  /** Stores the body in one piece: the whole object appears, or nothing does. */
  write(key: string, body: RequestBody, options?: WriteOptions): Promise<WriteResult>;

  /**
   * Removes up to 1,000 keys or versions; the results are in the order of the targets. The removal
   * of a thing that is not there is a success. Throws only when the batch as a whole failed.
   */
  remove(targets: readonly RemoveTarget[], options?: RemoveOptions): Promise<RemoveResult[]>;

  /** Asks for an archived object; resolves with `there` when it can be read already. */
  restore(
    key: string,
    how: Restore & { versionId?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<"asked" | "there">;

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
    options?: { signal?: AbortSignal | undefined },
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
  abortUpload(
    key: string,
    uploadId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<void>;
  listParts(
    key: string,
    uploadId: string,
    options?: { signal?: AbortSignal | undefined },
  ): AsyncIterable<PartEntry[]>;
  listUploads(options?: {
    prefix?: string | undefined;
    signal?: AbortSignal | undefined;
  }): AsyncIterable<UploadEntry[]>;

  getTags(
    key: string,
    options?: { versionId?: string | undefined },
  ): Promise<Record<string, string>>;
  setTags(
    key: string,
    tags: Readonly<Record<string, string>>,
    options?: { versionId?: string | undefined },
  ): Promise<void>;
  /** A URL anybody can use for `expiresIn` seconds (at most 604,800). */
  presign(
    method: "GET" | "PUT",
    key: string,
    expiresIn: number,
    options?: { versionId?: string | undefined; contentType?: string | undefined },
  ): Promise<URL>;
}

export interface BucketEntry {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly created?: number | undefined;
}

/** The control plane of one service. */
export interface BucketService {
  list(options?: { signal?: AbortSignal | undefined }): Promise<BucketEntry[]>;
  /** Whether the bucket is there and may be read; throws on anything but yes and no. */
  exists(bucket: string): Promise<boolean>;
  /**
   * Resolves with whether it made the bucket: with `ignoreExisting`, one that is already there for
   * this caller is a success.
   */
  make(
    bucket: string,
    options?: { ignoreExisting?: boolean; versioning?: boolean; lock?: boolean },
  ): Promise<boolean>;
  /** Throws BucketNotEmpty. */
  remove(bucket: string): Promise<void>;
  getVersioning(bucket: string): Promise<"Enabled" | "Suspended" | undefined>;
  setVersioning(bucket: string, state: "Enabled" | "Suspended"): Promise<void>;
  getTags(bucket: string): Promise<Record<string, string>>;
  setTags(bucket: string, tags: Readonly<Record<string, string>>): Promise<void>;
}
