/**
 * The names of the things that an operation works on. Events, reports and plans carry these, so
 * that nobody has to parse a text made for people.
 */

/** An object; pinned to one state of it when `versionId` or `etag` is given. */
export interface ObjectRef {
  readonly type: "object";
  readonly alias: string;
  readonly bucket: string;
  /** The exact key; in a request also a prefix, or empty for the bucket. */
  readonly key: string;
  readonly versionId?: string | undefined;
  /** Without quotes. */
  readonly etag?: string | undefined;
}

/** A local file or directory. */
export interface FileRef {
  readonly type: "file";
  readonly path: string;
}

/** stdin or stdout. */
export interface StreamRef {
  readonly type: "stream";
}

/** An unfinished multipart upload. */
export interface UploadRef {
  readonly type: "upload";
  readonly alias: string;
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string;
}

export type Ref = ObjectRef | FileRef | StreamRef | UploadRef;

/** The name alone, as a person would type it: `alias/bucket/key`, a path, or `-`. */
export function nameOf(ref: Ref): string {
  switch (ref.type) {
    case "file":
      return ref.path;
    case "stream":
      return "-";
    case "object":
    case "upload": {
      const bucket = `${ref.alias}/${ref.bucket}`;
      return ref.key === "" ? bucket : `${bucket}/${ref.key}`;
    }
  }
}
