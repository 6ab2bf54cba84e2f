/**
 * The record of a key: its latest version, in one small file whose replacement is the commit. The
 * versions before it lie beside it (history.ts).
 *
 * A line of JSON; an empty line; then, for a small object, its bytes. A listing needs the line only
 * and reads no further. Records of pail 0.1 have a line for each version, the latest first.
 */
import { closeSync, readSync } from "node:fs";
import type { ObjectInit, ObjectRecord, StoredChecksum } from "../records.js";
import { openThere, readThere } from "../../system/files.js";

/** Where a version's bytes are. */
export type Content =
  | { readonly kind: "none" }
  /** Behind the lines of the record itself; where there are several, of one version only. */
  | { readonly kind: "inline" }
  /** A file of that id under `blobs/`. */
  | { readonly kind: "blob"; readonly blob: string }
  /** A directory of that id under `blobs/`: files in order, and a manifest. */
  | { readonly kind: "segments"; readonly blob: string }
  /** Not known any more: the record could not be read. */
  | { readonly kind: "damaged" };

/** One version as the disk keeps it; times in milliseconds since the epoch. */
export interface Version extends ObjectInit {
  readonly id: string;
  /** Sorts the versions of the key, newest first; the id is the same unless it is `null`. */
  readonly order: string;
  readonly deleteMarker?: boolean | undefined;
  /** As a reader counts: without what sealing adds. */
  readonly size: number;
  readonly etag: string;
  readonly modified: number;
  readonly checksum?: StoredChecksum | undefined;
  readonly content: Content;
  /** The multipart upload that made it: completing that again finds it here. */
  readonly uploadId?: string | undefined;
}

export interface KeyRecord {
  /** Latest first; empty when the key does not exist. */
  readonly versions: readonly Version[];
  /** The bytes of the version whose content is inline. */
  readonly inline?: Buffer | undefined;
  /** The file could not be read as a record: `versions` has one that stands for all there were. */
  readonly damaged?: boolean | undefined;
}

/** The record of a key before it is first written. */
export const NO_RECORD: KeyRecord = { versions: [] };

/** The blob that holds a version's bytes, if one does. */
export function blobOf(version: Version): string | undefined {
  return "blob" in version.content ? version.content.blob : undefined;
}

/** The file's chunks. */
export function serialize(record: KeyRecord): Buffer[] {
  const lines = record.versions.map((version) => `${JSON.stringify(version)}\n`);
  const head = Buffer.from(`${lines.join("")}\n`);
  return record.inline === undefined ? [head] : [head, record.inline];
}

/** The whole record; NO_RECORD when there is none. */
export function readRecord(path: string): KeyRecord {
  const bytes = readThere(path);
  if (bytes === undefined) return NO_RECORD;
  const end = bytes.indexOf("\n\n");
  const versions = end < 0 ? undefined : parseLines(bytes.toString("utf8", 0, end));
  if (versions === undefined) return { versions: DAMAGED, damaged: true };
  return { versions, inline: bytes.subarray(end + 2) };
}

/**
 * A stand-in for the versions of a record that cannot be read: the key shows in listings, a read
 * of it fails, and it can be replaced and removed like any other.
 */
const DAMAGED: readonly Version[] = [
  {
    id: "null",
    order: "f".repeat(32),
    size: 0,
    etag: "",
    modified: 0,
    content: { kind: "damaged" },
    headers: {},
    metadata: {},
    storageClass: "STANDARD",
    tags: {},
  },
];

/** First bytes of a record to read for a listing: nearly always enough. */
const head = Buffer.allocUnsafe(4096);
const NEWLINE = 0x0a;

/**
 * The versions without the inline bytes: the latest only, or all of them. Empty when there is no
 * record. Synchronous, because a listing reads a thousand records a page: from the page cache that
 * takes microseconds each, and a trip through the thread pool several times as long.
 */
export function readVersions(path: string, which: "latest" | "all"): readonly Version[] {
  const file = openThere(path, "r");
  if (file === undefined) return [];
  try {
    let bytes = head;
    let length = 0;
    for (;;) {
      const count = readSync(file, bytes, length, bytes.length - length, length);
      if (count === 0) return DAMAGED;
      length += count;
      const end = which === "latest" ? bytes.indexOf(NEWLINE) : bytes.indexOf("\n\n");
      // The lines have two newlines behind them; what is beyond `length` is not of this file.
      if (end >= 0 && end + 1 < length)
        return parseLines(bytes.toString("utf8", 0, end)) ?? DAMAGED;
      if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
    }
  } finally {
    closeSync(file);
  }
}

/** Undefined for what is not lines of a record. */
function parseLines(text: string): Version[] | undefined {
  try {
    const versions = text.split("\n").map((line) => JSON.parse(line) as Partial<Version> | null);
    return versions.every(isVersion) ? versions : undefined;
  } catch {
    return undefined;
  }
}

function isVersion(value: Partial<Version> | null): value is Version {
  return typeof value?.id === "string" && typeof value.content?.kind === "string";
}

/** A writer's description of an object, without all else that a larger value holds. */
export function initOf(about: ObjectInit): ObjectInit {
  const { headers, metadata, storageClass, tags, acl, sealing } = about;
  return { headers, metadata, storageClass, tags, acl, sealing };
}

/** A version as the wire side knows it. */
export function toObject(key: string, version: Version, isLatest: boolean): ObjectRecord {
  return {
    key,
    versionId: version.id,
    isLatest,
    deleteMarker: version.deleteMarker ?? false,
    damaged: version.content.kind === "damaged" ? true : undefined,
    size: version.size,
    etag: version.etag,
    lastModified: new Date(version.modified),
    checksum: version.checksum,
    ...initOf(version),
  };
}
