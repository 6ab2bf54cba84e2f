/** What a face asks of the transfer engine, and what it gets back. */
import type { UploadChecksum } from "../config/types.js";
import type { AppError } from "../failures/errors.js";
import type { Filter } from "../filter.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectHeaders, Storage } from "../storage/storage.js";
import type { ProgressSnapshot, TransferListener } from "../engine/events.js";

/** Where bytes come from or go to, with a name for messages. */
export type Place =
  /** `key` is an object's key or, for a recursive transfer, a prefix. */
  | {
      readonly type: "bucket";
      readonly storage: BucketStorage;
      readonly key: string;
      readonly versionId?: string | undefined;
      /** How a person names the bucket: `local/photos`. */
      readonly label: string;
    }
  /** A file or directory. */
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "stdio"; readonly stream: AsyncIterable<Uint8Array> | NodeJS.WritableStream };

export interface TuningOptions {
  /** Objects in flight at most. Default: adaptive. */
  readonly concurrency?: number | undefined;
  /** Bytes; default from the object's size. */
  readonly partSize?: number | undefined;
  /** Bytes a second; default unlimited. */
  readonly limitUpload?: number | undefined;
  readonly limitDownload?: number | undefined;
  /**
   * What vouches for uploads: a checksum header, the body's SHA-256 in the signature (`signed`),
   * or nothing (`none`). Default: what the endpoint accepts, found out once (see SignedClient).
   */
  readonly checksum?: UploadChecksum | undefined;
  /** Verifies downloads against the stored checksum or MD5 ETag. Default true. */
  readonly verify?: boolean | undefined;
}

export interface CopyRequest extends ObjectHeaders, TuningOptions {
  readonly sources: readonly Place[];
  readonly target: Place;
  readonly recursive?: boolean | undefined;
  /** Never replaces what is there: If-None-Match on a bucket, an exclusive rename on disk. */
  readonly noClobber?: boolean | undefined;
  readonly filter?: Filter | undefined;
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: TransferListener | undefined;
  /** Directory for resume records; no resuming across runs without it. */
  readonly stateDir?: string | undefined;
}

export interface RemoveRequest {
  readonly storage: Storage;
  /** How a person names the bucket. */
  readonly label: string;
  /** Exact keys, or everything below prefixes. */
  readonly targets:
    | AsyncIterable<{ readonly key: string; readonly versionId?: string | undefined }>
    | { readonly prefix: string };
  /** With a prefix: every version and delete marker too. */
  readonly versions?: boolean | undefined;
  readonly filter?: Filter | undefined;
  readonly dryRun?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: TransferListener | undefined;
}

/** What an unfinished transfer leaves: an upload on the service, or a partial file. */
export type Leftover =
  | {
      readonly type: "upload";
      readonly label: string;
      readonly key: string;
      readonly uploadId: string;
    }
  | { readonly type: "file"; readonly path: string };

/** The end of a run. A run with failures resolves; only what stops the whole run throws. */
export interface TransferReport {
  readonly snapshot: ProgressSnapshot;
  /** The first 1,000 failures; `snapshot.items.failed` counts them all. */
  readonly failures: readonly { readonly target: string; readonly error: AppError }[];
  /** What was left unfinished for a later run to resume. */
  readonly left: readonly Leftover[];
}
