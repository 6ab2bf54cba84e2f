/**
 * What can happen (actions) and what is to be done about it (effects). Both are plain data: the
 * reducer turns one into the other, the controller turns effects into calls of the core.
 */
import type { BucketEntry } from "../../core/storage/s3-types.js";
import type { Entry, ObjectEntry, ObjectInfo } from "../../core/storage/storage.js";
import type { ProgressSnapshot } from "../../core/engine/events.js";
import type { InputEvent } from "../terminal/input.js";
import type {
  AliasRow,
  Failure,
  JobSpec,
  LocalEntry,
  NewAlias,
  Place,
  PreviewContent,
  Size,
  State,
  Target,
} from "./types.js";

/** One object, or one version of it, on a service. */
export interface ObjectRef {
  readonly alias: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
}

/** What a click on a piece of the screen means. */
export type Click =
  | { readonly type: "command"; readonly id: string }
  /** A row of the page's list. */
  | { readonly type: "row"; readonly index: number }
  /** A field, a button or an item of the open dialog. */
  | { readonly type: "item"; readonly index: number };

export type Effect =
  | { readonly type: "load-aliases"; readonly page: number }
  | { readonly type: "list-buckets"; readonly page: number; readonly alias: string }
  | { readonly type: "list-objects"; readonly page: number; readonly place: Place }
  | { readonly type: "read-directory"; readonly page: number; readonly directory: string }
  /** Ends whatever runs for a page or a dialog. */
  | { readonly type: "stop"; readonly id: number }
  | { readonly type: "test-alias"; readonly dialog: number; readonly alias: NewAlias }
  | { readonly type: "save-alias"; readonly dialog: number; readonly alias: NewAlias }
  | { readonly type: "remove-alias"; readonly dialog: number; readonly name: string }
  | {
      readonly type: "make-bucket";
      readonly dialog: number;
      readonly alias: string;
      readonly bucket: string;
      readonly versioning: boolean;
    }
  | {
      readonly type: "remove-bucket";
      readonly dialog: number;
      readonly alias: string;
      readonly bucket: string;
    }
  /** Makes an object; one that exists is not replaced. */
  | {
      readonly type: "put-object";
      readonly dialog: number;
      readonly place: Place;
      readonly key: string;
      readonly text: string;
    }
  /** Adds up what a confirmation is about; with no targets, the whole bucket. */
  | {
      readonly type: "count";
      readonly dialog: number;
      readonly from: Place;
      readonly targets: readonly Target[];
      readonly versions: boolean;
    }
  /** Finds out what an upload would replace. */
  | { readonly type: "check-upload"; readonly page: number; readonly spec: JobSpec }
  | { readonly type: "start-job"; readonly job: number; readonly spec: JobSpec }
  | { readonly type: "cancel-job"; readonly job: number }
  | { readonly type: "load-info"; readonly page: number; readonly object: ObjectRef }
  | { readonly type: "load-tags"; readonly page: number; readonly object: ObjectRef }
  | { readonly type: "load-versions"; readonly page: number; readonly object: ObjectRef }
  | {
      readonly type: "presign";
      readonly page: number;
      readonly object: ObjectRef;
      readonly expiry: number;
    }
  /** Signs a link and copies it. */
  | { readonly type: "copy-link"; readonly object: ObjectRef; readonly expiry: number }
  | {
      readonly type: "save-tags";
      readonly dialog: number;
      readonly object: ObjectRef;
      readonly tags: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "save-metadata";
      readonly dialog: number;
      readonly object: ObjectRef;
      readonly contentType: string;
      readonly metadata: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "preview";
      readonly page: number;
      readonly object: ObjectRef;
      readonly offset: number;
      /** Cells a picture may take. */
      readonly size: Size;
    }
  | { readonly type: "clipboard"; readonly text: string; readonly what: string }
  | { readonly type: "remember"; readonly place: string }
  | { readonly type: "quit" };

export type Action =
  | { readonly type: "input"; readonly event: InputEvent }
  | { readonly type: "click"; readonly click: Click }
  | { readonly type: "resize"; readonly size: Size }
  | { readonly type: "tick" }
  | { readonly type: "aliases"; readonly page: number; readonly aliases: readonly AliasRow[] }
  | { readonly type: "buckets"; readonly page: number; readonly buckets: readonly BucketEntry[] }
  | { readonly type: "entries"; readonly page: number; readonly entries: readonly Entry[] }
  | { readonly type: "listed"; readonly page: number }
  | {
      readonly type: "directory";
      readonly page: number;
      readonly directory: string;
      readonly entries: readonly LocalEntry[];
    }
  /** What a page was loading failed. */
  | { readonly type: "page-failed"; readonly page: number; readonly failure: Failure }
  | { readonly type: "dialog-failed"; readonly dialog: number; readonly failure: Failure }
  | { readonly type: "dialog-notice"; readonly dialog: number; readonly text: string }
  /** What a dialog asked for is done. */
  | { readonly type: "alias-saved"; readonly dialog: number; readonly name: string }
  | { readonly type: "alias-removed"; readonly dialog: number; readonly name: string }
  | {
      readonly type: "bucket-made" | "bucket-removed";
      readonly dialog: number;
      readonly alias: string;
      readonly bucket: string;
    }
  | {
      readonly type: "object-put";
      readonly dialog: number;
      readonly place: Place;
      readonly key: string;
    }
  | {
      readonly type: "counted";
      readonly dialog: number;
      readonly objects: number;
      readonly bytes: number;
      readonly done: boolean;
      readonly failure?: Failure | undefined;
    }
  | {
      readonly type: "upload-checked";
      readonly page: number;
      readonly spec: JobSpec;
      /** Keys that are there already. */
      readonly existing: readonly string[];
    }
  | { readonly type: "job-progress"; readonly job: number; readonly snapshot: ProgressSnapshot }
  /** Keys a removal or a move has taken away. */
  | { readonly type: "keys-gone"; readonly from: Place; readonly keys: readonly string[] }
  | {
      readonly type: "job-ended";
      readonly job: number;
      readonly status: "done" | "failed" | "canceled";
      readonly snapshot?: ProgressSnapshot | undefined;
      readonly failures: readonly { readonly target: string; readonly failure: Failure }[];
      /** Keys that could not be changed, with S3's code. */
      readonly failed: ReadonlyMap<string, string>;
    }
  | { readonly type: "info"; readonly page: number; readonly info: ObjectInfo }
  | {
      readonly type: "tags";
      readonly page: number;
      readonly tags: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "versions";
      readonly page: number;
      readonly versions: readonly ObjectEntry[];
    }
  | {
      readonly type: "url";
      readonly page: number;
      readonly url: string;
      readonly note?: string | undefined;
    }
  | {
      readonly type: "part-failed";
      readonly page: number;
      readonly part: "info" | "tags" | "versions" | "url";
      readonly failure: Failure;
    }
  | { readonly type: "saved"; readonly dialog: number; readonly what: "tags" | "metadata" }
  | {
      readonly type: "previewed";
      readonly page: number;
      readonly size: number;
      readonly offset: number;
      readonly content: PreviewContent;
    }
  | {
      readonly type: "copied";
      readonly what: string;
      readonly text: string;
      readonly sent: boolean;
    }
  | {
      readonly type: "notice";
      readonly tone: "info" | "success" | "warning" | "error";
      readonly text: string;
    }
  | { readonly type: "background"; readonly light: boolean };

/** A new state and what to do now. */
export type Update = readonly [State, readonly Effect[]];
