/** The input and output of a bucket (`BucketStorage`): entries, headers, options, results. */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { RetryNotice } from "../http/client.js";
import type { Tries } from "../http/tries.js";

/** An object, an object version or a delete marker, as a listing shows it. */
export interface ObjectEntry {
  readonly type: "object";
  /** The exact key, never normalised. */
  readonly key: string;
  /** Bytes; 0 for a delete marker. */
  readonly size: number;
  /** Milliseconds since the epoch; undefined when the service did not say. */
  readonly lastModified?: number | undefined;
  /** Without quotes. */
  readonly etag?: string | undefined;
  readonly storageClass?: string | undefined;
  /** Set in version listings, and by a stat of a versioned object. */
  readonly versionId?: string | undefined;
  readonly isLatest?: boolean | undefined;
  readonly isDeleteMarker?: boolean | undefined;
}

/** A group of keys that share everything up to and including the delimiter. */
export interface PrefixEntry {
  readonly type: "prefix";
  readonly key: string;
}

export type Entry = ObjectEntry | PrefixEntry;

/** Metadata that travels with an object. */
export interface ObjectHeaders {
  readonly contentType?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly contentDisposition?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly contentLanguage?: string | undefined;
  readonly expires?: string | undefined;
  readonly storageClass?: string | undefined;
  /** User metadata by lower-case name, without the vendor prefix. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Everything a HEAD tells about an object. */
export interface ObjectInfo extends ObjectEntry, ObjectHeaders {
  readonly checksums: Readonly<Partial<Record<ChecksumAlgorithm, string>>>;
  /** FULL_OBJECT or COMPOSITE, when the service said. */
  readonly checksumType?: string | undefined;
  /** Parts of a multipart object, when the service said. */
  readonly partsCount?: number | undefined;
  /**
   * For an archived object, in the service's words: whether it is being brought back, and how long
   * it stays.
   */
  readonly restore?: string | undefined;
  /** When the service said all this, by its own clock; milliseconds since the epoch. */
  readonly toldAt?: number | undefined;
  /** `AES256`, `aws:kms`, …, or `SSE-C` with a customer's key, when the service said. */
  readonly encryption?: string | undefined;
  /** The key of the service's key management that it is encrypted with. */
  readonly kmsKey?: string | undefined;
}

export interface ListOptions {
  /** Only keys that begin with this. Default: all. */
  readonly prefix?: string | undefined;
  /** Groups keys into prefixes. Default: none, a flat listing. */
  readonly delimiter?: string | undefined;
  /** Lists every version and delete marker, newest first within a key. */
  readonly versions?: boolean | undefined;
  /** Starts after this key, exclusive. */
  readonly startAfter?: string | undefined;
  /** Ends with this key, inclusive; fails where the service does not keep the order of keys. */
  readonly upTo?: string | undefined;
  /**
   * `any` takes pages of a flat listing as they come, each in order of keys, which is sooner over a
   * long way. Default `key`: all in order of keys.
   */
  readonly order?: "key" | "any" | undefined;
  /** About how many entries may wait for their turn in a flat listing; fewer take less memory. */
  readonly ahead?: number | undefined;
  /** Entries a page at most; 1 to 1000, default 1000. */
  readonly pageSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Inclusive byte positions, as in an HTTP Range. */
export interface ByteRange {
  readonly start: number;
  /** Default: the last byte. */
  readonly end?: number | undefined;
}

export interface ReadOptions {
  readonly versionId?: string | undefined;
  readonly range?: ByteRange | undefined;
  /** Fails with PreconditionFailed unless the object still has this ETag. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before the request is tried again. */
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
  /** The tries of the work this reading is a part of. Default: tries of its own. */
  readonly tries?: Tries | undefined;
}

export interface OpenObject {
  /** Its size is `UNKNOWN_SIZE` (Infinity) when the service does not tell it. */
  readonly info: ObjectInfo;
  /** A chunk is valid only until the next one is asked for. Leaving early releases the source. */
  readonly body: AsyncIterable<Uint8Array>;
  /** All that was asked for, when it was there as soon as the head; then `body` need not be read. */
  readonly bytes?: Uint8Array | undefined;
}

/** The condition on the key for a write to it; else it fails with PreconditionFailed. */
export interface WriteCondition {
  /** The key does not exist. */
  readonly ifNoneMatch?: "*" | undefined;
  /** The object now has this ETag. */
  readonly ifMatch?: string | undefined;
}

/** Encryption by the service, with a key of its key management for `aws:kms`. */
export interface Encryption {
  /** `AES256` or `aws:kms`. */
  readonly algorithm: string;
  readonly kmsKey?: string | undefined;
}

export interface WriteOptions extends ObjectHeaders, WriteCondition {
  /** A checksum of the whole body, sent for the service to verify. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string } | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Encryption by the service. Default: as the bucket has it. */
  readonly encryption?: Encryption | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called as bytes leave; the argument is how many. A negative count takes back a failed try. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Called before the request is tried again. */
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
  /** How the body enters the signature; see RequestSpec. */
  readonly payload?: "signed" | "unsigned" | undefined;
  /** Hex SHA-256 of the body, when the caller has it already. */
  readonly payloadHash?: string | undefined;
}

export interface WriteResult {
  readonly etag?: string | undefined;
  readonly versionId?: string | undefined;
}

/** How an archived object is asked for. */
export interface Restore {
  /** How long it stays readable. Not for objects that a class moves to its archive by itself. */
  readonly days?: number | undefined;
  readonly tier?: "Expedited" | "Standard" | "Bulk" | undefined;
}

export interface RemoveTarget {
  readonly key: string;
  readonly versionId?: string | undefined;
  /**
   * Only while the object has this ETag: PreconditionFailed otherwise, on services that have
   * conditional deletes; others remove whatever is there. Not sent beside a version, which pins
   * by itself.
   */
  readonly etag?: string | undefined;
}

export interface RemoveOptions
  extends Pick<WriteOptions, "signal" | "onRetry">, Pick<ReadOptions, "tries"> {
  /** Sends ETags in a batch, too, where fewer services heed them than on a key's own request. */
  readonly pinsInBatch?: boolean | undefined;
}

/** The outcome for one key of a removal; `error` is set when that key failed. */
export interface RemoveResult extends RemoveTarget {
  /** The bucket keeps versions: the object stays, below a delete marker. */
  readonly marker?: true | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}
