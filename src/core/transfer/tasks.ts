/** The input of one object's transfer, in one piece or in parts. */
import type { CrcAlgorithm } from "../../protocol/checksum.js";
import type { TransferItem } from "../engine/events.js";
import type { Limiter } from "../engine/limits.js";
import type { Run } from "../engine/run.js";
import type { Preserve } from "../local/attributes.js";
import type { BucketStorage, CompletedPart } from "../storage/s3-types.js";
import type { ObjectHeaders, WriteCondition, WriteOptions } from "../storage/storage.js";
import type { Payload } from "./body.js";
import type { Integrity } from "./integrity.js";
import type { Opened, RemoteObject } from "./remote.js";
import type { ResumeRecord } from "./resume.js";

export interface DownloadTask {
  readonly run: Run;
  readonly limiter: Limiter | undefined;
  readonly verify: boolean;
  readonly noClobber: boolean;
  readonly partSize: number | undefined;
  readonly stateDir: string | undefined;
  readonly item: TransferItem;
  readonly object: RemoteObject;
  /** The directory below which the key made the file's name; not given when a person did. */
  readonly root?: string | undefined;
  /** The attributes of the object that the file is given besides its bytes. */
  readonly preserve: Preserve;
  /** The object must still have the ETag of its ref. */
  readonly pinned?: boolean | undefined;
  /** The state of the file that may be replaced, and of no other; see `fileState`. */
  readonly replaces?: string | undefined;
  /** The object, when finding out about it has opened it. */
  readonly opened?: Opened | undefined;
}

/** `exists`: with noClobber, something has the target's name already. */
export type DownloadResult = Downloaded | "exists";

export interface Downloaded {
  readonly etag?: string | undefined;
  readonly modified?: number | undefined;
  /** It was to be verified, and the service tells nothing to do that by. */
  readonly unverified?: true | undefined;
}

/** Where parts come from, in order; `next` is called by several at once unless it says not to. */
export interface PartSupply {
  /** How many there are; Infinity when that shows only at the end. */
  readonly count: number;
  /** The next part that is not in `done`; undefined when there are no more. */
  next(done: ReadonlySet<number>): Promise<{ number: number; payload: Payload } | undefined>;
  /** Called before the object is made of the parts: throws when the source is not what it was. */
  check(): Promise<void>;
}

export interface MultipartTask {
  readonly run: Run;
  readonly item: TransferItem;
  readonly storage: BucketStorage;
  /** The alias that `storage` belongs to. */
  readonly alias: string;
  readonly key: string;
  readonly headers: ObjectHeaders & WriteCondition & Pick<WriteOptions, "tags">;
  readonly integrity: Integrity;
  readonly limiter: Limiter | undefined;
  readonly supply: PartSupply;
  /** The source's own CRC, base64, where it is known: the object is not made unless it agrees. */
  readonly whole?: { readonly algorithm: CrcAlgorithm; readonly value: string } | undefined;
  /** Tells that an upload that was left is one of the same bytes. Without it, nothing is resumed. */
  readonly resume?: { readonly record: ResumeRecord; readonly source: ResumeSource } | undefined;
}

export interface ResumeSource {
  /** Equal for the same state of the source. */
  readonly state: string;
  readonly size: number;
  readonly partSize: number;
  /** The headers, metadata and tags of the new object; an upload cannot change them once begun. */
  readonly headers: string;
  /** The source can be read only once: an upload that a killed run left is ended, not continued. */
  readonly once?: true | undefined;
  /** Reads a part again to see whether the service has the same; undefined when that is costly. */
  readonly read?: ((number: number) => Promise<Payload>) | undefined;
}

/** A part the service has, with what the whole's checksum needs. */
export interface SentPart extends CompletedPart {
  readonly size: number;
  /** Raw; undefined when unknown. */
  readonly digest: Buffer | undefined;
}
