/** Everything the console knows, as one immutable value. */
import type { ErrorKind } from "../../core/failures/errors.js";
import type { Dialog, Question } from "../dialogs/types.js";
import type { Keymap } from "../keymap.js";
import type { Page } from "../pages/types.js";
import type { Look } from "../theme.js";
import type { LogLine } from "./log.js";
import type { Memory } from "./memory.js";
import type { Job, Target } from "./job-types.js";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Where the cursor stands in a list, and the first row on screen. */
export interface Cursor {
  readonly cursor: number;
  readonly top: number;
}

/** A failure as it is shown: never a secret, never a stack. */
export interface Failure {
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
  | { readonly type: "failed"; readonly failure: Failure };

/** A part of a page that is asked for by itself. */
export interface Fetched<T> {
  readonly load: Load;
  readonly value?: T | undefined;
}

/** A bucket, or a place in one. */
export interface Place {
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

/** Objects taken from a place, to be copied or moved to another. */
export interface Clip {
  readonly verb: "copy" | "move";
  readonly place: Place;
  readonly targets: readonly Target[];
}

export interface State {
  readonly size: Size;
  readonly look: Look;
  readonly readonly: boolean;
  readonly keymap: Keymap;
  /** The last one is on screen; never empty. */
  readonly pages: readonly Page[];
  readonly dialog?: Dialog | undefined;
  /** Which button of the action bar has the focus; undefined when the page has it. */
  readonly bar?: number | undefined;
  readonly jobs: readonly Job[];
  readonly notice?: Notice | undefined;
  /** What was said, the latest at the end. */
  readonly log: readonly LogLine[];
  /** What jobs wait to be told, in the order they asked. */
  readonly questions: readonly Question[];
  /** The next unused number for pages, dialogs and jobs. */
  readonly nextId: number;
  /** What was taken to be pasted elsewhere. */
  readonly clip?: Clip | undefined;
  readonly memory: Memory;
  /** Pages opened because the console was left there; one that fails is left at once. */
  readonly guessed: readonly number[];
  /** Home and working directory of the local side. */
  readonly local: { readonly home: string; readonly directory: string };
  /** Steps of the spinner; advances only while something is under way. */
  readonly tick: number;
}

export type { Page };
export type * from "../dialogs/types.js";
export type * from "./job-types.js";
