/** Work in the background, as data. */
import type { ProgressSnapshot, TransferItem } from "../../core/engine/events.js";
import type { Failure, Place } from "./values.js";

/** Something to carry out in the background, as data, so that it can be tried again. */
export type JobSpec =
  | {
      readonly type: "upload";
      readonly paths: readonly string[];
      readonly target: Place;
    }
  | {
      readonly type: "download";
      readonly from: Place;
      readonly targets: readonly Target[];
      readonly directory: string;
    }
  | {
      readonly type: "copy" | "move";
      readonly from: Place;
      readonly targets: readonly Target[];
      readonly to: Place;
      /** Exact new key, when one object is renamed. */
      readonly key?: string | undefined;
      /** It brings an older version back. */
      readonly restores?: boolean | undefined;
    }
  | {
      readonly type: "remove";
      readonly from: Place;
      readonly targets: readonly Target[];
      /** Every version and delete marker too. */
      readonly versions?: boolean | undefined;
      /** It takes a delete marker away. */
      readonly restores?: boolean | undefined;
    }
  | { readonly type: "empty-bucket"; readonly alias: string; readonly bucket: string }
  /** Puts back what a job has done, by the reports of its runs. */
  | { readonly type: "undo"; readonly of: JobSpec; readonly reports: readonly string[] };

/** An object (or one version of it), or everything below a prefix. */
export interface Target {
  readonly type: "object" | "prefix";
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly size?: number | undefined;
}

/** One file or object of a job. */
export type JobItem = Pick<TransferItem, "action" | "source" | "target" | "size">;

export interface JobFailure {
  /** Undefined when it was about the job as a whole. */
  readonly item?: JobItem | undefined;
  readonly failure: Failure;
}

export interface Job {
  readonly id: number;
  readonly title: string;
  readonly spec: JobSpec;
  /** Only these are tried again; undefined for the whole of it. */
  readonly again?: readonly JobItem[] | undefined;
  /** `left`: an earlier console ended before it did; it goes on when it is told to. */
  readonly status: "running" | "done" | "failed" | "canceled" | "left";
  readonly snapshot?: ProgressSnapshot | undefined;
  /** Files that tell what was done, one a run. */
  readonly reports?: readonly string[] | undefined;
  readonly undone?: boolean | undefined;
  /** The first failures. */
  readonly failures: readonly JobFailure[];
  /** The items that were finished last, the latest at the end. */
  readonly finished: readonly JobItem[];
}
