/** Everything the console knows, as one immutable value. */
import type { AliasConfig } from "../../core/config/types.js";
import type { ErrorKind } from "../../core/errors.js";
import type { BucketEntry } from "../../core/storage/s3-types.js";
import type { Entry, ObjectEntry, ObjectInfo } from "../../core/storage/storage.js";
import type { ProgressSnapshot } from "../../core/transfer/events.js";
import type { Keymap } from "../keymap.js";
import type { Look } from "../theme.js";

export interface Size {
  readonly columns: number;
  readonly rows: number;
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

/** A bucket, or a place in one. */
export interface Place {
  readonly alias: string;
  readonly bucket: string;
  /** Exact; empty for the whole bucket. */
  readonly prefix: string;
}

/** Where the cursor stands in a list, and the first row on screen. */
export interface Cursor {
  readonly cursor: number;
  readonly top: number;
}

export interface AliasRow {
  readonly name: string;
  readonly url: string;
  readonly region: string;
  readonly origin: string;
}

export interface SignInPage extends Cursor {
  readonly type: "sign-in";
  readonly id: number;
  readonly load: Load;
  readonly aliases: readonly AliasRow[];
}

export interface BucketsPage extends Cursor {
  readonly type: "buckets";
  readonly id: number;
  readonly alias: string;
  readonly load: Load;
  readonly buckets: readonly BucketEntry[];
}

export type SortBy = "name" | "size" | "modified" | "class";

export interface Sort {
  readonly by: SortBy;
  readonly descending: boolean;
}

export interface ObjectsPage extends Cursor, Place {
  readonly type: "objects";
  readonly id: number;
  /** What was asked for after the prefix, on the server's side. */
  readonly search: string;
  readonly load: Load;
  /** Entries of the last complete or running listing, in the order they came. */
  readonly all: readonly Entry[];
  /** Those that pass the filter, sorted: the rows of the table. */
  readonly rows: readonly Entry[];
  readonly filter: string;
  readonly sort: Sort;
  /** Marked keys. */
  readonly marks: ReadonlySet<string>;
  /** The row a range began at. */
  readonly anchor?: number | undefined;
  /** The key the cursor moves to when it appears. */
  readonly wanted?: string | undefined;
  /** A new listing has begun and its first page replaces the rows. */
  readonly replacing: boolean;
  /** What could not be changed, by key: S3's code. */
  readonly failures: ReadonlyMap<string, string>;
  /** Keys that are being removed. */
  readonly leaving: ReadonlySet<string>;
  /** Shown again, the page lists anew. */
  readonly stale: boolean;
}

export interface LocalEntry {
  readonly name: string;
  readonly path: string;
  readonly directory: boolean;
  readonly size: number;
  readonly modified: number | undefined;
}

export interface PickerPage extends Cursor {
  readonly type: "picker";
  readonly id: number;
  /** Whether files or whole directories are picked. */
  readonly mode: "file" | "directory";
  readonly load: Load;
  readonly directory: string;
  readonly entries: readonly LocalEntry[];
  /** Absolute paths; they stay marked while walking about. */
  readonly marks: ReadonlyMap<string, LocalEntry>;
  readonly target: Place;
  readonly wanted?: string | undefined;
}

export interface TransfersPage extends Cursor {
  readonly type: "transfers";
  readonly id: number;
}

export type DetailsTab = "info" | "metadata" | "tags" | "versions" | "share";

export interface Fetched<T> {
  readonly load: Load;
  readonly value?: T | undefined;
}

export interface DetailsPage extends Cursor {
  readonly type: "details";
  readonly id: number;
  readonly alias: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly tab: DetailsTab;
  readonly info: Fetched<ObjectInfo>;
  readonly tags: Fetched<Readonly<Record<string, string>>>;
  readonly versions: Fetched<readonly ObjectEntry[]>;
  readonly url: Fetched<{ readonly url: string; readonly note?: string | undefined }>;
  /** Seconds a shared link lives. */
  readonly expiry: number;
}

export interface PreviewPage {
  readonly type: "preview";
  readonly id: number;
  readonly alias: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly load: Load;
  /** Bytes of the whole object. */
  readonly size: number;
  /** Where the window begins, in bytes. */
  readonly offset: number;
  readonly content?: PreviewContent | undefined;
  readonly top: number;
}

export type PreviewContent =
  | { readonly type: "text"; readonly lines: readonly string[]; readonly end: number }
  | { readonly type: "bytes"; readonly bytes: Uint8Array; readonly end: number }
  | { readonly type: "image"; readonly image: Picture };

/** A picture as RGB bytes, three a pixel. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
  /** As `PNG 640×480`. */
  readonly label: string;
}

export interface HelpPage {
  readonly type: "help";
  readonly id: number;
  readonly top: number;
  readonly lines: readonly HelpLine[];
}

/** A heading, or keys and what they do; a reason when it cannot be done now. */
export interface HelpLine {
  readonly heading?: string | undefined;
  readonly keys?: string | undefined;
  readonly title?: string | undefined;
  readonly reason?: string | undefined;
}

export type Page =
  | SignInPage
  | BucketsPage
  | ObjectsPage
  | PickerPage
  | TransfersPage
  | DetailsPage
  | PreviewPage
  | HelpPage;

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
  | { readonly type: "directory"; readonly place: Place }
  | { readonly type: "file"; readonly place: Place }
  | { readonly type: "search"; readonly place: Place }
  | { readonly type: "rename"; readonly place: Place; readonly target: Target }
  | {
      readonly type: "copy" | "move";
      readonly place: Place;
      readonly targets: readonly Target[];
    }
  | { readonly type: "download"; readonly place: Place; readonly targets: readonly Target[] }
  | { readonly type: "target-prefix" }
  | { readonly type: "tags" | "metadata" }
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
  readonly failure?: Failure | undefined;
  readonly notice?: string | undefined;
  readonly purpose: FormPurpose;
}

export type ConfirmPurpose =
  | { readonly type: "run"; readonly spec: JobSpec }
  | { readonly type: "remove-bucket"; readonly alias: string; readonly bucket: string }
  | { readonly type: "remove-alias"; readonly name: string }
  | { readonly type: "cancel-job"; readonly job: number }
  | { readonly type: "quit" };

export interface ConfirmDialog {
  readonly type: "confirm";
  readonly id: number;
  readonly title: string;
  readonly lines: readonly string[];
  /** Objects and bytes it is about; growing until done. */
  readonly count?:
    | {
        readonly objects: number;
        readonly bytes: number;
        readonly done: boolean;
        readonly failure?: Failure | undefined;
      }
    | undefined;
  readonly accept: string;
  readonly danger: boolean;
  readonly focus: "cancel" | "accept";
  readonly purpose: ConfirmPurpose;
}

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
  readonly purpose: "sort" | "copy" | "share";
}

export interface PaletteDialog {
  readonly type: "palette";
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
  /** What to return to on Esc. */
  readonly before: string;
}

/** Text to read or to copy by hand. */
export interface TextDialog {
  readonly type: "text";
  readonly id: number;
  readonly title: string;
  readonly lines: readonly string[];
}

export type Dialog =
  | FormDialog
  | ConfirmDialog
  | MenuDialog
  | PaletteDialog
  | FilterDialog
  | TextDialog;

export interface Notice {
  readonly tone: "info" | "success" | "warning" | "error";
  readonly text: string;
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
  /** The next unused number for pages, dialogs and jobs. */
  readonly nextId: number;
  /** Home and working directory of the local side. */
  readonly local: { readonly home: string; readonly directory: string };
  /** Steps of the spinner; advances only while something is under way. */
  readonly tick: number;
}

export type NewAlias = { readonly name: string; readonly config: AliasConfig };
