/** Everything the console knows, as one immutable value. */
import type { AliasConfig } from "../../core/config/types.js";
import type { ErrorKind } from "../../core/errors.js";
import type { BucketEntry } from "../../core/storage/s3-types.js";
import type { Entry, ObjectEntry, ObjectInfo } from "../../core/storage/storage.js";
import type { Keymap } from "../keymap.js";
import type { Look } from "../theme.js";
import type { Dialog } from "./dialog-types.js";
import type { Job } from "./job-types.js";

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
  /** Keys that are on their way out, with what is being done: `deleting`, `moving`. */
  readonly leaving: ReadonlyMap<string, string>;
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

export type * from "./dialog-types.js";
export type * from "./job-types.js";
