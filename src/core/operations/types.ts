/** The requests that a face makes to an operation. */
import type { UploadChecksum } from "../config/types.js";
import type { Filter } from "../filter.js";
import type { Preserve } from "../local/attributes.js";
import type { Skipped } from "../local/list.js";
import type { Ref } from "../ref.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectHeaders, RemoveTarget, WriteResult } from "../storage/storage.js";
import type { TransferListener } from "../engine/events.js";
import type { KeyPattern } from "./address.js";
import type { Progress } from "../engine/progress.js";

/** A place in a bucket. */
export interface BucketPlace {
  readonly type: "bucket";
  readonly alias: string;
  readonly storage: BucketStorage;
  /** An object's key or, for a recursive transfer, a prefix. */
  readonly key: string;
  readonly versionId?: string | undefined;
  /** Only while the object has this ETag. */
  readonly etag?: string | undefined;
  /** Set where a pattern was meant (address.ts): what matches goes below the target. */
  readonly pattern?: KeyPattern | undefined;
  /** In front of the names of a whole bucket, with a `/` at its end. Default: nothing. */
  readonly keeps?: string | undefined;
}

/** Where bytes come from or go to. */
export type Place =
  | BucketPlace
  /** A file or directory. */
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "stdio"; readonly stream: AsyncIterable<Uint8Array> | NodeJS.WritableStream };

export interface TuningOptions {
  /** Objects, and parts of objects, under way at most. Default: adaptive. */
  readonly concurrency?: number | undefined;
  /** Bytes; default from the object's size. */
  readonly partSize?: number | undefined;
  /** Bytes a second; default unlimited. */
  readonly limitUpload?: number | undefined;
  readonly limitDownload?: number | undefined;
  /**
   * The proof that goes with uploads: a checksum header, the body's SHA-256 in the signature
   * (`signed`), or nothing (`none`). Default: what the endpoint accepts, found out once (see
   * SignedClient).
   */
  readonly checksum?: UploadChecksum | undefined;
  /** Verifies downloads against the stored checksum or MD5 ETag. Default true. */
  readonly verify?: boolean | undefined;
}

/** How a face follows a run, and ends it. */
export interface RunControl {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: TransferListener | undefined;
  /** Gathers several runs in one state; then the report's snapshot is of all of them. */
  readonly progress?: Progress | undefined;
}

/** The facts about one side of a conflict, as far as they are known. */
export interface Facts {
  /** Bytes. */
  readonly size?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly lastModified?: number | undefined;
}

export interface Conflict {
  readonly source: Ref;
  readonly target: Ref;
  readonly sourceInfo: Facts;
  readonly targetInfo: Facts;
}

/** `keep-both` writes beside it, as `name (2).ext`. */
export type ExistsAction = "replace" | "skip" | "fail" | "keep-both";

/** One answer for all, one by the times (`update` replaces what is older), or a question for each. */
export type IfExists = ExistsAction | "update" | ((conflict: Conflict) => Promise<ExistsAction>);

export interface CopyRequest extends ObjectHeaders, TuningOptions, RunControl {
  readonly sources: readonly Place[];
  readonly target: Place;
  readonly recursive?: boolean | undefined;
  /** The rule for a target name that something has already. Default `replace`. */
  readonly ifExists?: IfExists | undefined;
  /** The target's key is the name itself, also when it ends with `/`; with one source only. */
  readonly exact?: boolean | undefined;
  /** The choice of what is taken from directories and prefixes. */
  readonly filter?: Filter | undefined;
  /** The entries of directories that are passed over. Default: none. */
  readonly skipped?: Skipped | undefined;
  /**
   * The attributes that files keep besides their bytes, both ways. Default: their modification
   * time.
   */
  readonly preserve?: Preserve | undefined;
  readonly dryRun?: boolean | undefined;
  /** Directory for resume records; no resuming across runs without it. */
  readonly stateDir?: string | undefined;
  /**
   * It is told what was written before a move removes its source; when it throws, the source stays.
   */
  readonly onCopied?: ((copied: WriteResult) => Promise<void>) | undefined;
}

export interface RemoveRequest extends RunControl {
  readonly alias: string;
  readonly storage: BucketStorage;
  /** Exact keys, or everything below a prefix; with `level`, only the objects right below it. */
  readonly targets:
    | AsyncIterable<RemoveTarget>
    | { readonly prefix: string; readonly level?: boolean };
  /** With a prefix: every version and delete marker too. */
  readonly versions?: boolean | undefined;
  readonly filter?: Filter | undefined;
  readonly dryRun?: boolean | undefined;
  readonly concurrency?: number | undefined;
}
