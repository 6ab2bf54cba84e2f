/**
 * Actions, which can happen, and effects, which are to be carried out. Both are plain data: the
 * reducer turns actions into effects, the controller turns effects into calls of the core.
 */
import type { Conflict, ExistsAction } from "../../core/operations/types.js";
import type { ProgressSnapshot } from "../../core/engine/events.js";
import type { InputEvent } from "../terminal/input.js";
import type { Memory } from "./memory.js";
import type {
  Count,
  ShownFailure,
  JobFailure,
  JobItem,
  JobSpec,
  Notice,
  ObjectRef,
  PageActions,
  PageEffects,
  PrefixRef,
  Size,
  State,
  Targets,
} from "./types.js";

/** The meaning of a click on a piece of the screen. */
export type Click =
  | { readonly type: "command"; readonly id: string }
  /** A row of a page's list; the page tells which of two panes it was. */
  | { readonly type: "row"; readonly page: number; readonly index: number }
  /** A field, a button or an item of the open dialog. */
  | { readonly type: "item"; readonly index: number };

export type Effect =
  | PageEffects[keyof PageEffects]
  /** Ends whatever runs for a page or a dialog. */
  | { readonly type: "stop"; readonly id: number }
  /** Adds up what a confirmation is about. */
  | {
      readonly type: "count";
      readonly dialog: number;
      readonly from: PrefixRef;
      readonly targets: Targets;
      readonly versions: boolean;
    }
  | {
      readonly type: "start-job";
      readonly job: number;
      readonly spec: JobSpec;
      readonly again?: readonly JobItem[] | undefined;
    }
  /** The answer about an item that is there already; `always` also answers for all later ones. */
  | {
      readonly type: "answer";
      readonly job: number;
      readonly action: ExistsAction;
      readonly always: boolean;
    }
  | { readonly type: "cancel-job"; readonly job: number }
  /** Keeps what has not ended for the next console. */
  | { readonly type: "keep-jobs"; readonly specs: readonly JobSpec[] }
  /** Signs links and copies them, one a line. */
  | { readonly type: "copy-links"; readonly objects: readonly ObjectRef[]; readonly expiry: number }
  | { readonly type: "clipboard"; readonly text: string; readonly what: string }
  | { readonly type: "remember"; readonly memory: Memory }
  /** Looks whether paths that were dropped on the window are there. */
  | { readonly type: "drop"; readonly target: PrefixRef; readonly paths: readonly string[] }
  /** Opens an object in the person's own pager or editor. */
  | { readonly type: "show-outside"; readonly object: ObjectRef }
  | { readonly type: "edit-outside"; readonly object: ObjectRef }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" }
  | { readonly type: "quit" };

export type Action =
  | PageActions[keyof PageActions]
  | { readonly type: "input"; readonly event: InputEvent }
  | { readonly type: "click"; readonly click: Click }
  | { readonly type: "resize"; readonly size: Size }
  | { readonly type: "tick" }
  /** The loading of a page failed. */
  | { readonly type: "page-failed"; readonly page: number; readonly failure: ShownFailure }
  | { readonly type: "dialog-failed"; readonly dialog: number; readonly failure: ShownFailure }
  | { readonly type: "dialog-notice"; readonly dialog: number; readonly text: string }
  | {
      readonly type: "counted";
      readonly dialog: number;
      readonly count: Count;
    }
  | {
      readonly type: "job-progress";
      readonly job: number;
      readonly snapshot: ProgressSnapshot;
      readonly finished: readonly JobItem[];
    }
  | {
      readonly type: "job-ended";
      readonly job: number;
      readonly status: "done" | "failed" | "canceled";
      readonly failures: readonly JobFailure[];
      /** The file that tells what was done; undefined when nothing was. */
      readonly report?: string | undefined;
    }
  /** A job met something that is there already. */
  | { readonly type: "asked"; readonly job: number; readonly conflict: Conflict }
  | {
      readonly type: "copied";
      readonly what: string;
      readonly text: string;
      readonly sent: boolean;
    }
  /** Dropped paths that are there: they may be uploaded. */
  | { readonly type: "dropped"; readonly target: PrefixRef; readonly paths: readonly string[] }
  /** An edited object could not be saved; the text is in a file. */
  | { readonly type: "edit-kept"; readonly path: string; readonly lines: readonly string[] }
  /** An object was saved from an editor. */
  | { readonly type: "edited"; readonly object: ObjectRef }
  | { readonly type: "notice"; readonly tone: Notice["tone"]; readonly text: string }
  | { readonly type: "background"; readonly light: boolean };

/** A new state and what to do now. */
export type Update = readonly [State, readonly Effect[]];

/** Two updates, one after the other. */
export function also([state, effects]: Update, next: (state: State) => Update): Update {
  const [after, more] = next(state);
  return [after, [...effects, ...more]];
}
