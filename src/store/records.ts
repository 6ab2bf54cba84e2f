/** The words of the wire side (operations/) and the disk side (disk/) for buckets and objects. */
import type { ChecksumAlgorithm } from "../protocol/checksum.js";

export interface BucketRecord {
  readonly name: string;
  readonly created: Date;
  readonly region: string;
  /** Undefined until versioning was first configured. */
  readonly versioning?: "Enabled" | "Suspended" | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly settings: BucketSettings;
}

/** The rights that everyone has; absent where there are none. */
export type Acl = "public-read" | "public-read-write" | undefined;

/** Further settings of a bucket; each is absent until it is given. */
export interface BucketSettings {
  /** Everyone may list it, and with `public-read-write` put objects and delete them. */
  readonly acl?: Acl;
  readonly ownership?: string | undefined;
  readonly publicAccessBlock?: PublicAccessBlock | undefined;
  /** The document as it came; parsePolicy has accepted it. */
  readonly policy?: string | undefined;
  readonly cors?: readonly CorsRule[] | undefined;
  readonly lifecycle?: readonly LifecycleRule[] | undefined;
}

export interface PublicAccessBlock {
  readonly blockAcls: boolean;
  readonly ignoreAcls: boolean;
  readonly blockPolicy: boolean;
  readonly restrictBuckets: boolean;
}

/** Pages of other origins, and what they may ask for (operations/cors.ts). */
export interface CorsRule {
  readonly id?: string | undefined;
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposed: readonly string[];
  readonly maxAge?: number | undefined;
}

/** A rule for what goes, and when (lifecycle/). Days count from midnight to midnight, UTC. */
export interface LifecycleRule {
  readonly id: string;
  readonly enabled: boolean;
  readonly prefix: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly largerThan?: number | undefined;
  readonly smallerThan?: number | undefined;
  /** Whether the document had a Filter, or the older Prefix beside it. */
  readonly filtered: boolean;
  readonly expireDays?: number | undefined;
  /** ISO 8601, midnight UTC. */
  readonly expireDate?: string | undefined;
  readonly expireMarkers?: boolean | undefined;
  readonly noncurrentDays?: number | undefined;
  readonly noncurrentKept?: number | undefined;
  readonly abortUploadsDays?: number | undefined;
}

/** Changes to a bucket; a setting that is undefined is taken away. */
export interface BucketChange {
  readonly versioning?: "Enabled" | "Suspended";
  readonly tags?: Readonly<Record<string, string>>;
  readonly settings?: BucketSettings;
}

/** A checksum as S3 reports it: base64, with `-<parts>` when composite. */
export interface StoredChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly value: string;
  readonly type: "FULL_OBJECT" | "COMPOSITE";
}

/** How an object that a customer's key encrypts was sealed (sealing/). */
export interface Sealing {
  /** Base64; with it the customer's key gives `check`, and the key of what is sealed as one. */
  readonly salt: string;
  /** Base64; tells the right key from a wrong one, and nothing about either. */
  readonly check: string;
}

/** A writer's description of an object, kept as it came. */
export interface ObjectInit {
  /** content-type, cache-control, content-disposition, content-encoding, content-language, expires. */
  readonly headers: Readonly<Record<string, string>>;
  /** User metadata by lower-case name, without the vendor prefix. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly storageClass: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Present: everyone may read it. */
  readonly acl?: Acl;
  readonly sealing?: Sealing | undefined;
}

export interface PartRecord {
  readonly number: number;
  /** As a reader counts: without what sealing adds. */
  readonly size: number;
  /** Hex MD5 of the part, without quotes. */
  readonly etag: string;
  readonly lastModified: Date;
  readonly checksum?: StoredChecksum | undefined;
  /** Base64, of a sealed part: each is sealed with a salt of its own. */
  readonly salt?: string | undefined;
}

export interface ObjectRecord extends ObjectInit {
  readonly key: string;
  /** `null` for an object written while versioning was not enabled. */
  readonly versionId: string;
  readonly isLatest: boolean;
  readonly deleteMarker: boolean;
  /** As a reader counts: without what sealing adds. */
  readonly size: number;
  /** The record on disk cannot be read; nothing but the key is known. It can be replaced or removed. */
  readonly damaged?: boolean | undefined;
  /** Without quotes; empty for a delete marker. */
  readonly etag: string;
  readonly lastModified: Date;
  readonly checksum?: StoredChecksum | undefined;
  /** For an object made by multipart upload. */
  readonly parts?: readonly PartRecord[] | undefined;
}

/** Checked against the current version under the key's lock, at the moment of commit. */
export interface Preconditions {
  /** `*` or ETags without quotes; the object must exist with one of them. */
  readonly ifMatch?: readonly string[] | undefined;
  /** `*` or ETags without quotes; the object must not exist with one of them. */
  readonly ifNoneMatch?: readonly string[] | undefined;
  /** For a delete: last modified at this time, to the second. */
  readonly ifModifiedAt?: Date | undefined;
  /** For a delete: of this size. */
  readonly ifSize?: number | undefined;
  /** For a delete: the record is still this one, as a listing showed it. */
  readonly ifStill?: ObjectRecord | undefined;
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
  /** The checksum that Create asked for: its algorithm, and how those of the parts combine. */
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
