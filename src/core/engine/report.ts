/** The report that a run ends with. */
import type { AppError } from "../failures/errors.js";
import type { FileRef, UploadRef } from "../ref.js";
import type { ProgressSnapshot, TransferItem } from "./events.js";

/** The rest of an unfinished transfer: an upload on the service, or a partial file. */
export type Leftover = UploadRef | FileRef;

/** The end of a run. A run with failures resolves; only what stops the whole run throws. */
export interface TransferReport {
  readonly snapshot: ProgressSnapshot;
  /** The first 1,000 failures; `snapshot.items.failed` counts them all. */
  readonly failures: readonly { readonly item: TransferItem; readonly error: AppError }[];
  /** The unfinished transfers, for a later run to resume. */
  readonly left: readonly Leftover[];
}
