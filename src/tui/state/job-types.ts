/** Work in the background, as data. */
import type { ProgressSnapshot } from "../../core/engine/events.js";
import type { Failure, Place } from "./types.js";

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
    }
  | {
      readonly type: "remove";
      readonly from: Place;
      readonly targets: readonly Target[];
      /** Every version and delete marker too. */
      readonly versions?: boolean | undefined;
    }
  | { readonly type: "empty-bucket"; readonly alias: string; readonly bucket: string };

/** An object (or one version of it), or everything below a prefix. */
export interface Target {
  readonly type: "object" | "prefix";
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly size?: number | undefined;
}

export interface Job {
  readonly id: number;
  readonly title: string;
  readonly spec: JobSpec;
  readonly status: "running" | "done" | "failed" | "canceled";
  readonly snapshot?: ProgressSnapshot | undefined;
  /** The first failures, by what they were about. */
  readonly failures: readonly { readonly target: string; readonly failure: Failure }[];
}
