/** What a page holds while it is open. */
import type { BucketEntry } from "../../core/storage/s3-types.js";
import type { Entry, ObjectEntry, ObjectInfo } from "../../core/storage/storage.js";
import type { Load, Place } from "./types.js";

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
