/** Small values that pages, dialogs and jobs are made of. */
import type { ErrorKind } from "../../core/failures/errors.js";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Where the cursor stands in a list, and the first row on screen. */
export interface Scroll {
  readonly cursor: number;
  readonly top: number;
}

/** A failure as it is shown: never a secret, never a stack. */
export interface ShownFailure {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Whether what a page shows has come. */
export type Load =
  | { readonly type: "loading" }
  | { readonly type: "ready" }
  /** The listing was stopped before its end. */
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly failure: ShownFailure };

/** A part of a page that is asked for by itself. */
export interface Fetched<T> {
  readonly load: Load;
  readonly value?: T | undefined;
}

/** A bucket, or a place in one. */
export interface PrefixRef {
  readonly alias: string;
  readonly bucket: string;
  /** Exact; empty for the whole bucket. */
  readonly prefix: string;
}

/** One object, or one version of it, on a service. */
export interface ObjectRef {
  readonly alias: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
}

export interface Notice {
  readonly tone: "info" | "success" | "warning" | "error";
  readonly text: string;
}
