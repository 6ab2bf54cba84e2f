/** Putting, finding and deleting objects and their versions. */
import { rm } from "node:fs/promises";
import type {
  DeleteOutcome,
  ObjectInit,
  ObjectRecord,
  Preconditions,
  StoredChecksum,
} from "../backend.js";
import { StoreError } from "../errors.js";
import { getBucket } from "./buckets.js";
import { commit, contentOf } from "./commit.js";
import type { Directory, Place } from "./directory.js";
import { recordOf, withKey } from "./directory.js";
import { damagedRecord, noSuchKey, noSuchVersion } from "./failures.js";
import type { DiskOpenBlob } from "./reader.js";
import { openVersion } from "./reader.js";
import type { KeyRecord, Version } from "./record.js";
import { initOf, readRecord, toObject } from "./record.js";
import { readManifest } from "./segments.js";
import type { DiskBlob } from "./stage.js";
import { asFile } from "./stage.js";
import { settleDeferred } from "./sweep.js";
import { add, checkDelete, checkWrite, find, hide } from "./versions.js";

/** What a commit says about the object it makes. */
export type Description = ObjectInit & {
  readonly etag: string;
  readonly checksum?: StoredChecksum | undefined;
  /** Where it is not the number of bytes staged: what is sealed is longer. */
  readonly size?: number | undefined;
  readonly uploadId?: string | undefined;
};

/** Commits staged bytes as the key's latest version. */
export async function putObject(
  directory: Directory,
  place: Place,
  blob: DiskBlob,
  about: Description,
  preconditions?: Preconditions,
): Promise<ObjectRecord> {
  checkKey(place.key);
  return withKey(directory, place, () => putHeld(directory, place, blob, about, preconditions));
}

/** Like putObject, for a caller that holds the key. */
export async function putHeld(
  directory: Directory,
  place: Place,
  blob: DiskBlob,
  about: Description,
  preconditions?: Preconditions,
): Promise<ObjectRecord> {
  const { versioning } = getBucket(directory, place.bucket);
  const before = readRecord(recordOf(directory, place));
  checkWrite(place.key, before.versions[0], preconditions);
  let staged = blob.staged;
  // A record has room for the bytes of one version, the one that is replaced as a whole.
  if (staged.kind === "inline" && versioning !== undefined) {
    staged = { kind: "blob", path: await asFile(directory, blob) };
  }
  const version: Omit<Version, "id" | "order"> = {
    ...initOf(about),
    etag: about.etag,
    checksum: about.checksum,
    uploadId: about.uploadId,
    size: about.size ?? blob.size,
    modified: Date.now(),
    content: contentOf(staged),
  };
  const versions = add(before.versions, version, versioning);
  const inline = staged.kind === "inline" ? staged.bytes : stillInline(versions, before);
  try {
    await commit(directory, place, before, { versions, inline }, staged);
  } finally {
    // Still there only when the commit failed; what came staged on disk is the caller's to discard.
    if (staged !== blob.staged && "path" in staged) await rm(staged.path, { force: true });
  }
  return toObject(place.key, versions[0], true);
}

/** Throws NoSuchKey or NoSuchVersion; a delete marker is a record. */
export async function headObject(
  directory: Directory,
  place: Place,
  versionId?: string,
): Promise<ObjectRecord> {
  getBucket(directory, place.bucket);
  const { versions } = readRecord(recordOf(directory, place));
  const version = choose(versions, place.key, versionId);
  const record = toObject(place.key, version, version === versions[0]);
  if (version.content.kind !== "segments") return record;
  const manifest = await readManifest(directory.blob(version.content.blob));
  // Replaced between the two looks: the next one sees what is there now.
  if (manifest === undefined) return headObject(directory, place, versionId);
  return manifest.parts === undefined ? record : { ...record, parts: manifest.parts };
}

/** Like headObject, with the bytes held. */
export async function openObject(
  directory: Directory,
  place: Place,
  versionId?: string,
): Promise<DiskOpenBlob> {
  getBucket(directory, place.bucket);
  return openVersion(
    directory,
    place,
    (record) => choose(record.versions, place.key, versionId),
    () => settleDeferred(directory),
  );
}

/** Replaces a version's tags or ACL and nothing else. */
export async function updateObject(
  directory: Directory,
  place: Place,
  versionId: string | undefined,
  change: Pick<Partial<ObjectInit>, "acl" | "tags">,
): Promise<ObjectRecord> {
  getBucket(directory, place.bucket);
  return withKey(directory, place, async () => {
    const before = readRecord(recordOf(directory, place));
    const version = choose(before.versions, place.key, versionId);
    const changed = { ...version, ...change };
    const versions = before.versions.map((other) => (other === version ? changed : other));
    await commit(directory, place, before, { ...before, versions });
    return toObject(place.key, changed, version === before.versions[0]);
  });
}

/** Removes a version, or hides the key in the way of its bucket. */
export async function deleteObject(
  directory: Directory,
  place: Place,
  versionId?: string,
  preconditions?: Preconditions,
): Promise<DeleteOutcome> {
  return withKey(directory, place, async () => {
    const { versioning } = getBucket(directory, place.bucket);
    const before = readRecord(recordOf(directory, place));
    const target = find(before.versions, versionId);
    if (target !== undefined) checkDelete(target, preconditions);
    // Removing what is not there is a success, also of what should have been something else.
    else if (preconditions?.ifMatch !== undefined) return { versionId, deleteMarker: false };
    if (versionId === undefined && versioning !== undefined) checkKey(place.key);
    const versions =
      versionId === undefined
        ? hide(before.versions, Date.now(), versioning)
        : before.versions.filter((version) => version !== target);
    if (versions.length !== before.versions.length || versions[0] !== before.versions[0]) {
      await commit(directory, place, before, { versions, inline: stillInline(versions, before) });
    }
    if (versionId !== undefined) {
      return { versionId, deleteMarker: target?.deleteMarker ?? false };
    }
    if (versioning === undefined) return { deleteMarker: false };
    return { versionId: versions[0]!.id, deleteMarker: true };
  });
}

function choose(versions: readonly Version[], key: string, versionId?: string): Version {
  const version = find(versions, versionId);
  if (version?.content.kind === "damaged") throw damagedRecord(key);
  if (version !== undefined) return version;
  throw versionId === undefined ? noSuchKey(key) : noSuchVersion(key, versionId);
}

/** The inline bytes, if the version they belong to is still there. */
function stillInline(versions: readonly Version[], before: KeyRecord): Buffer | undefined {
  return versions.some(({ content }) => content.kind === "inline") ? before.inline : undefined;
}

/** Throws KeyTooLongError, or InvalidArgument for no key at all. */
export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > 1024) {
    throw new StoreError("KeyTooLongError", 400, "The key is longer than 1024 bytes.");
  }
  if (key === "") throw new StoreError("InvalidArgument", 400, "The key is empty.");
}
