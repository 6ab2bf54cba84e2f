/** Work in the background, as data. */
import type { ProgressSnapshot, TransferItem } from "../../core/engine/events.js";
import type { ShownFailure, PrefixRef } from "./values.js";

/** Something to carry out in the background, as data, so that it can be tried again. */
export type JobSpec =
  | {
      readonly type: "upload";
      readonly paths: readonly string[];
      readonly target: PrefixRef;
      /** The files go once they are there. */
      readonly moves?: boolean | undefined;
    }
  | {
      readonly type: "download";
      readonly from: PrefixRef;
      readonly targets: Targets;
      readonly directory: string;
      /** The objects go once they are there. */
      readonly moves?: boolean | undefined;
    }
  | {
      readonly type: "copy" | "move";
      readonly from: PrefixRef;
      readonly targets: Targets;
      readonly to: PrefixRef;
      /** Exact new key, when one object is renamed. */
      readonly key?: string | undefined;
      /** It brings an older version back. */
      readonly restores?: boolean | undefined;
    }
  | {
      readonly type: "remove";
      readonly from: PrefixRef;
      readonly targets: Targets;
      /** Every version and delete marker too. */
      readonly versions?: boolean | undefined;
      /** It takes a delete marker away. */
      readonly restores?: boolean | undefined;
    }
  /** Carries out a plan that was looked at. */
  | {
      readonly type: "sync";
      readonly from: string;
      readonly to: string;
      readonly remove: boolean;
      /** The plan's file, which goes with the console. */
      readonly plan: string;
    }
  | { readonly type: "empty-bucket"; readonly alias: string; readonly bucket: string }
  /** Puts back what a job has done, by the reports of its runs. */
  | { readonly type: "undo"; readonly of: JobSpec; readonly reports: readonly string[] };

/** An object (or one version of it), or everything below a prefix. */
export interface JobTarget {
  readonly type: "object" | "prefix";
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly size?: number | undefined;
}

/** The targets of a job, in their order: an array, or what is read as it is needed (targets.ts). */
export interface Targets extends Iterable<JobTarget> {
  readonly length: number;
}

/** One file or object of a job. */
export type JobItem = Pick<TransferItem, "action" | "source" | "target" | "size" | "moves">;

export interface JobFailure {
  /** Undefined when it was about the job as a whole. */
  readonly item?: JobItem | undefined;
  readonly failure: ShownFailure;
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
