/** The data that a dialog holds while it is open. */
import type { ImportSource } from "../../core/config/import.js";
import type { Conflict } from "../../core/operations/types.js";
import type { JobSpec, JobTarget, Targets } from "../state/job-types.js";
import type { ShownFailure, PrefixRef } from "../state/values.js";

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "secret" | "choice" | "lines";
  readonly value: string;
  /** Position in `value`, in UTF-16 units, always between graphemes. */
  readonly caret: number;
  readonly choices?: readonly string[] | undefined;
  readonly note?: string | undefined;
}

export type FormPurpose =
  | { readonly type: "alias"; readonly replaces?: string | undefined }
  | { readonly type: "bucket"; readonly alias: string }
  | { readonly type: "open-bucket"; readonly alias: string }
  | { readonly type: "directory"; readonly place: PrefixRef }
  | { readonly type: "file"; readonly place: PrefixRef }
  | { readonly type: "search" | "find"; readonly place: PrefixRef }
  | { readonly type: "rename"; readonly place: PrefixRef; readonly target: JobTarget }
  | {
      readonly type: "copy" | "move";
      readonly place: PrefixRef;
      readonly targets: Targets;
    }
  /** Files and directories of this machine. */
  | { readonly type: "copy" | "move"; readonly paths: readonly string[] }
  | { readonly type: "download"; readonly place: PrefixRef; readonly targets: Targets }
  | { readonly type: "sync"; readonly from: string }
  | { readonly type: "target-prefix" }
  | { readonly type: "find-text" }
  | { readonly type: "tags" | "metadata" | "bucket-tags" }
  | { readonly type: "go-to" };

export interface FormDialog {
  readonly type: "form";
  readonly id: number;
  readonly title: string;
  readonly intro?: string | undefined;
  readonly fields: readonly Field[];
  readonly buttons: readonly string[];
  /** Index over the fields, then the buttons. */
  readonly focus: number;
  readonly busy: boolean;
  readonly failure?: ShownFailure | undefined;
  readonly notice?: string | undefined;
  readonly purpose: FormPurpose;
}

export type ConfirmPurpose =
  /** `instead`: takes the place of this job. */
  | { readonly type: "run"; readonly spec: JobSpec; readonly instead?: number | undefined }
  | { readonly type: "remove-bucket"; readonly alias: string; readonly bucket: string }
  | { readonly type: "remove-alias"; readonly name: string }
  | { readonly type: "take-alias"; readonly name: string; readonly from: ImportSource }
  | { readonly type: "cancel-job"; readonly job: number }
  | { readonly type: "versioning"; readonly on: boolean }
  | { readonly type: "abort-upload"; readonly key: string; readonly uploadId: string }
  | { readonly type: "quit" };

export interface Count {
  readonly objects: number;
  readonly bytes: number;
  /** Whether the service keeps versions of deleted objects; undefined when it did not say. */
  readonly keeps?: "versions" | "nothing" | undefined;
  readonly done: boolean;
  readonly failure?: ShownFailure | undefined;
}

export interface ConfirmDialog {
  readonly type: "confirm";
  readonly id: number;
  readonly title: string;
  readonly lines: readonly string[];
  /** Objects and bytes it is about; growing until done. */
  readonly count?: Count | undefined;
  /** The name that must be typed when the question is about many objects. */
  readonly name?: string | undefined;
  readonly typed: string;
  readonly accept: string;
  readonly danger: boolean;
  readonly focus: "cancel" | "accept";
  readonly purpose: ConfirmPurpose;
}

export type MenuPurpose = "sort" | "columns" | "copy" | "share" | "places";

export interface MenuDialog {
  readonly type: "menu";
  readonly id: number;
  readonly title: string;
  readonly items: readonly {
    readonly key: string;
    readonly label: string;
    readonly value: string;
  }[];
  readonly cursor: number;
  readonly purpose: MenuPurpose;
}

/** A list that is narrowed by typing: the page's commands, or places to go to. */
export interface PaletteDialog {
  readonly type: "palette";
  readonly places?: readonly string[] | undefined;
  readonly id: number;
  readonly text: string;
  readonly caret: number;
  readonly cursor: number;
}

/** One line at the foot of a page, in effect while it is typed. */
export interface FilterDialog {
  readonly type: "filter";
  readonly id: number;
  readonly text: string;
  readonly caret: number;
}

/** A job met something that is there already, and waits. */
export interface Question {
  readonly job: number;
  readonly conflict: Conflict;
}

export interface ConflictDialog extends Question {
  readonly type: "conflict";
  readonly id: number;
  /** Index over the choices, then the switch. */
  readonly focus: number;
  /** The answer is for all that the job still meets. */
  readonly all: boolean;
}

/** Text to read or to copy by hand. */
export interface TextDialog {
  readonly type: "text";
  readonly id: number;
  readonly title: string;
  readonly lines: readonly string[];
  /** The first row on screen. */
  readonly top: number;
}

export type Dialog =
  | FormDialog
  | ConfirmDialog
  | MenuDialog
  | PaletteDialog
  | FilterDialog
  | TextDialog
  | ConflictDialog;
