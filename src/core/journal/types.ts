/** A record of a change, with the state before it and the state after it: enough to undo it. */
import type { Encryption, ObjectHeaders } from "../storage/storage.js";

/** The state before a change. */
export type Before =
  | { readonly type: "absent" }
  /** The bucket keeps it, as this version. */
  | { readonly type: "version"; readonly versionId: string; readonly etag?: string | undefined }
  /** A copy is kept beside the journal. */
  | {
      readonly type: "kept";
      readonly file: string;
      readonly size: number;
      readonly etag?: string | undefined;
      readonly headers: ObjectHeaders;
      readonly encryption?: Encryption | undefined;
      readonly tags: Readonly<Record<string, string>>;
    }
  | { readonly type: "tags"; readonly tags: Readonly<Record<string, string>> }
  | {
      readonly type: "bucket";
      readonly versioning?: "Enabled" | "Suspended" | undefined;
      readonly tags: Readonly<Record<string, string>>;
    }
  /** It went to another place, which has its only bytes. */
  | {
      readonly type: "moved";
      readonly alias: string;
      readonly bucket: string;
      readonly key: string;
      readonly endpoint: string;
      readonly etag?: string | undefined;
    }
  /** The object was deleted: a delete marker was on top. */
  | { readonly type: "marker" }
  /** Nothing is kept; why. */
  | { readonly type: "lost"; readonly reason: string };

/** The state after a change. */
export type After =
  | { readonly type: "absent" }
  | {
      readonly type: "object";
      readonly etag?: string | undefined;
      readonly versionId?: string | undefined;
    }
  | { readonly type: "tags"; readonly tags: Readonly<Record<string, string>> }
  | { readonly type: "file"; readonly sha256: string };

export type ChangeKind =
  | "write"
  | "remove"
  /** One version, for good. */
  | "remove-version"
  | "undelete"
  | "tags"
  | "make-bucket"
  | "remove-bucket"
  /** A local file. */
  | "file";

/** One change of one thing. */
export interface Change {
  readonly id: string;
  /** The call it belongs to: what is undone together. */
  readonly call: string;
  /** ISO 8601. */
  readonly at: string;
  readonly tool: string;
  readonly kind: ChangeKind;
  /** Empty for a local file. */
  readonly alias: string;
  readonly bucket: string;
  /** The endpoint the alias led to then; undo refuses to go elsewhere. */
  readonly endpoint: string;
  /** The key; a local file's real path; empty for a bucket. */
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly before: Before;
  /** The ETag of what is to be written, where it is known beforehand: tells whether it was. */
  readonly expects?: string | undefined;
}

/** A change as the journal knows it. */
export interface Recorded extends Change {
  /** Undefined when it was begun and nothing more is known: it may or may not have happened. */
  readonly after?: After | undefined;
  /** When it was undone, and what that left. */
  readonly undone?: { readonly at: string; readonly after: After } | undefined;
}
