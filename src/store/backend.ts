/**
 * What the store's wire side (operations/) asks of its disk side (disk/). The wire side has
 * verified the signature, the length and every checksum before it calls a method that commits;
 * the disk side makes each commit atomic, durable and safe among processes.
 *
 * Every method throws a StoreError with S3's own code (errors.ts).
 */
import type { ChecksumAlgorithm } from "../protocol/checksum.js";

export interface BucketRecord {
  readonly name: string;
  readonly created: Date;
  readonly region: string;
  /** Undefined until versioning was first configured. */
  readonly versioning?: "Enabled" | "Suspended" | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

/** A checksum as S3 reports it: base64, with `-<parts>` when composite. */
export interface StoredChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly value: string;
  readonly type: "FULL_OBJECT" | "COMPOSITE";
}

/** What a writer says about an object, kept as it came. */
export interface ObjectInit {
  /** content-type, cache-control, content-disposition, content-encoding, content-language, expires. */
  readonly headers: Readonly<Record<string, string>>;
  /** User metadata by lower-case name, without the vendor prefix. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly storageClass: string;
  readonly tags: Readonly<Record<string, string>>;
}

export interface PartRecord {
  readonly number: number;
  readonly size: number;
  /** Hex MD5 of the part, without quotes. */
  readonly etag: string;
  readonly lastModified: Date;
  readonly checksum?: StoredChecksum | undefined;
}

export interface ObjectRecord extends ObjectInit {
  readonly key: string;
  /** `null` for an object written while versioning was not enabled. */
  readonly versionId: string;
  readonly isLatest: boolean;
  readonly deleteMarker: boolean;
  readonly size: number;
  /** Without quotes; empty for a delete marker. */
  readonly etag: string;
  readonly lastModified: Date;
  readonly checksum?: StoredChecksum | undefined;
  /** For an object made by multipart upload. */
  readonly parts?: readonly PartRecord[] | undefined;
}

/** Bytes that are on disk, synced, and not yet anybody's. Commit it once, or discard it. */
export interface StagedBlob {
  readonly size: number;
  /** Removes the bytes; harmless after a commit. */
  discard(): Promise<void>;
}

/** Checked against the current version under the key's lock, at the moment of commit. */
export interface Preconditions {
  /** `*` or ETags without quotes; the object must exist with one of them. */
  readonly ifMatch?: readonly string[] | undefined;
  /** `*` or ETags without quotes; the object must not exist with one of them. */
  readonly ifNoneMatch?: readonly string[] | undefined;
}

export interface ListQuery {
  readonly prefix: string;
  /** Empty for a flat listing. Any string, not only `/`. */
  readonly delimiter: string;
  /** Exclusive start. A common prefix that ends at or before it is not repeated. */
  readonly after?: { readonly key: string; readonly versionId?: string | undefined } | undefined;
  /** Objects and common prefixes together, at most; 0 to 1000. */
  readonly limit: number;
}

export interface ListPage<T> {
  /** In the order of the keys' UTF-8 bytes; versions of a key newest first. */
  readonly entries: readonly T[];
  readonly commonPrefixes: readonly string[];
  /** Where the next page starts; undefined on the last page. */
  readonly next?: { readonly key: string; readonly versionId?: string | undefined } | undefined;
}

export interface UploadRecord extends ObjectInit {
  readonly uploadId: string;
  readonly key: string;
  readonly initiated: Date;
  /** What Create asked for: which checksum the parts carry, and how they combine. */
  readonly checksum?:
    | { readonly algorithm: ChecksumAlgorithm; readonly type: "FULL_OBJECT" | "COMPOSITE" }
    | undefined;
}

export interface DeleteOutcome {
  /** The version removed, or the marker made; undefined in an unversioned bucket. */
  readonly versionId?: string | undefined;
  /** True when a delete marker was made, or when the version removed was one. */
  readonly deleteMarker: boolean;
}

/** An object opened for reading: its record, and bytes that stay readable whatever happens next. */
export interface OpenBlob {
  readonly record: ObjectRecord;
  /** Bytes `start` to `end` inclusive. Ends the reading's hold on the object when done or left. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Releases the object without reading it. */
  close(): Promise<void>;
}

export interface Backend {
  listBuckets(): Promise<BucketRecord[]>;
  /** Throws BucketAlreadyOwnedByYou. */
  createBucket(name: string, region: string): Promise<void>;
  /** Throws NoSuchBucket. */
  getBucket(name: string): Promise<BucketRecord>;
  updateBucket(
    name: string,
    change: { versioning?: "Enabled" | "Suspended"; tags?: Readonly<Record<string, string>> },
  ): Promise<void>;
  /** Throws BucketNotEmpty while any object, version, marker or unfinished upload is there. */
  deleteBucket(name: string): Promise<void>;

  /** Writes the chunks to temporary space and syncs them. On a throw nothing is left. */
  stage(chunks: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /** Stages bytes of an existing object, sharing them on disk where the whole of it is wanted. */
  stageCopy(
    source: OpenBlob,
    range?: { readonly start: number; readonly end: number },
  ): Promise<StagedBlob>;

  /** Commits a blob as the key's new latest version. */
  putObject(
    bucket: string,
    key: string,
    blob: StagedBlob,
    init: ObjectInit & { readonly etag: string; readonly checksum?: StoredChecksum | undefined },
    preconditions?: Preconditions,
  ): Promise<ObjectRecord>;
  /** Throws NoSuchKey or NoSuchVersion. A delete marker is returned as a record, not thrown. */
  headObject(bucket: string, key: string, versionId?: string): Promise<ObjectRecord>;
  /** Like headObject, with the bytes. */
  openObject(bucket: string, key: string, versionId?: string): Promise<OpenBlob>;
  /** Replaces what is said about an object without touching its bytes or its modification time. */
  setTags(
    bucket: string,
    key: string,
    versionId: string | undefined,
    tags: Readonly<Record<string, string>>,
  ): Promise<ObjectRecord>;
  /** Removing what is not there is a success. */
  deleteObject(
    bucket: string,
    key: string,
    versionId?: string,
    preconditions?: Preconditions,
  ): Promise<DeleteOutcome>;

  listObjects(bucket: string, query: ListQuery): Promise<ListPage<ObjectRecord>>;
  listVersions(bucket: string, query: ListQuery): Promise<ListPage<ObjectRecord>>;

  createUpload(
    bucket: string,
    key: string,
    init: ObjectInit & Pick<UploadRecord, "checksum">,
  ): Promise<UploadRecord>;
  /** Throws NoSuchUpload, also when the upload is of another key. */
  getUpload(bucket: string, key: string, uploadId: string): Promise<UploadRecord>;
  /** Keeps a part; one of the same number is replaced. */
  putPart(
    bucket: string,
    key: string,
    uploadId: string,
    blob: StagedBlob,
    part: Omit<PartRecord, "lastModified" | "size">,
  ): Promise<PartRecord>;
  /** All parts, by number. */
  listParts(bucket: string, key: string, uploadId: string): Promise<PartRecord[]>;
  /** All unfinished uploads whose key begins with the prefix, by key, then by time. */
  listUploads(bucket: string, prefix: string): Promise<UploadRecord[]>;
  /**
   * Makes the object of exactly these parts, without copying their bytes, and ends the upload.
   * The wire side has checked order, ETags, sizes and checksums. Completing twice with the same
   * parts answers the same object.
   */
  completeUpload(
    bucket: string,
    key: string,
    uploadId: string,
    parts: readonly PartRecord[],
    result: { readonly etag: string; readonly checksum?: StoredChecksum | undefined },
    preconditions?: Preconditions,
  ): Promise<ObjectRecord>;
  abortUpload(bucket: string, key: string, uploadId: string): Promise<void>;
}
