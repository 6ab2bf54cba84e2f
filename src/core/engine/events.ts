/** The events of the transfer engine at work. Every face reads the snapshot made from these. */
import type { AppError } from "../failures/errors.js";
import type { Ref } from "../ref.js";

/** One object's copy, upload, download or removal. */
export interface TransferItem {
  /** Unique within the process. */
  readonly id: number;
  readonly action: "upload" | "download" | "copy" | "relay" | "remove";
  /** Undefined for a removal. */
  readonly source: Ref | undefined;
  readonly target: Ref;
  /** Bytes; undefined when unknown (stdin). */
  readonly size: number | undefined;
  /** Why a sync does it. */
  readonly reason?: Reason | undefined;
  /** The source is removed once it has been copied. */
  readonly moves?: true | undefined;
}

/** Among the losses of a copy: the tags of its source may not be read. */
export const UNREAD_TAGS = "unread tags";

/** The finding of a sync: the target lacks it, another size, time or content, or only the target has it. */
export type Reason = "new" | "size" | "time" | "checksum" | "extra";

export type TransferEvent =
  /** More work was found; totals grow as listing goes on. */
  | { readonly type: "planned"; readonly items: number; readonly bytes: number }
  /** Listing is done: the totals are final. */
  | { readonly type: "counted" }
  | { readonly type: "started"; readonly item: TransferItem }
  /** Negative when a failed try is taken back. */
  | { readonly type: "bytes"; readonly id: number; readonly count: number }
  /** `skipped` bytes were there already from an earlier run. */
  | { readonly type: "resumed"; readonly item: TransferItem; readonly skipped: number }
  /** The rest of an earlier run could not be used: the item starts from its first byte. */
  | { readonly type: "restarted"; readonly item: TransferItem; readonly reason: string }
  | {
      readonly type: "retried";
      readonly item: TransferItem;
      readonly attempt: number;
      readonly code: string;
    }
  | {
      readonly type: "finished";
      readonly item: TransferItem;
      readonly etag?: string | undefined;
      readonly versionId?: string | undefined;
      /** For a removal: the object stays, below a delete marker. */
      readonly marker?: true | undefined;
      /** For a download: the service gives no checksum that the bytes could be compared with. */
      readonly unverified?: true | undefined;
      /** Nothing was at the target before, as far as that was found out. */
      readonly wasNew?: boolean | undefined;
      /** Parts of the source that did not come along: `tags`, `unread tags`, `metadata`, `storage class`. */
      readonly lost?: readonly string[] | undefined;
    }
  | {
      readonly type: "skipped";
      readonly item: TransferItem;
      /** `missing`: what was to be removed is not there. */
      readonly reason: "exists" | "dry-run" | "missing";
    }
  | { readonly type: "failed"; readonly item: TransferItem; readonly error: AppError };

/** Told of every event, with the way to the state that it led to. */
export type TransferListener = (event: TransferEvent, getSnapshot: () => ProgressSnapshot) => void;

/** Immutable state of a run, made by the reducer in progress.ts. */
export interface ProgressSnapshot {
  readonly items: {
    readonly total: number;
    readonly done: number;
    readonly failed: number;
    readonly skipped: number;
  };
  readonly bytes: { readonly total: number; readonly done: number };
  /** False while listing still finds work. */
  readonly counted: boolean;
  /** Bytes a second, smoothed; 0 before anything has moved. */
  readonly rate: number;
  /** Seconds to the end; undefined while the totals or the rate are unknown. */
  readonly eta: number | undefined;
  /** Milliseconds since the run began. */
  readonly elapsed: number;
  /** Items under way. */
  readonly active: readonly { readonly item: TransferItem; readonly done: number }[];
}
