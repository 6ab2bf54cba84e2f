/** Putting, finding and deleting objects and their versions. */
import { dirname } from "node:path";
import type {
  BucketRecord,
  DeleteOutcome,
  ObjectInit,
  ObjectRecord,
  Preconditions,
  StoredChecksum,
} from "../records.js";
import { StoreError } from "../errors.js";
import { getBucket } from "./buckets.js";
import { commit, contentOf, removeOlder, uncover } from "./commit.js";
import type { Directory, KeyRef } from "./directory.js";
import { recordOf, withKey } from "./directory.js";
import { damagedRecord, noSuchKey, noSuchVersion } from "./failures.js";
import { removeIfEmpty, replace, writeSynced } from "../../system/files.js";
import type { Picked } from "./history.js";
import { findOlder, forgetOlder, historyOf, olderThan, pick } from "./history.js";
import type { OpenBlob } from "./reader.js";
import { openVersion } from "./reader.js";
import type { KeyRecord, Version } from "./record.js";
import { NO_RECORD, initOf, readRecord, serialize, toObject } from "./record.js";
import { readManifest } from "./segments.js";
import type { StagedBlob, Staged } from "./stage.js";
import { settleDeferred } from "./sweep.js";
import { NULL, add, checkDelete, checkWrite, deleteMarker, find } from "./versions.js";

/** The description of the object that a commit makes. */
export type Description = ObjectInit & {
  readonly etag: string;
  readonly checksum?: StoredChecksum | undefined;
  /** Given where it is not the number of staged bytes: sealed bytes are more. */
  readonly size?: number | undefined;
  readonly uploadId?: string | undefined;
};

/** Commits staged bytes as the key's latest version. */
export async function putObject(
  directory: Directory,
  place: KeyRef,
  blob: StagedBlob,
  about: Description,
  preconditions?: Preconditions,
): Promise<ObjectRecord> {
  checkKey(place.key);
  return withKey(directory, place, () => putHeld(directory, place, blob, about, preconditions));
}

/** Like putObject, for a caller that holds the key. */
export async function putHeld(
  directory: Directory,
  place: KeyRef,
  blob: StagedBlob,
  about: Description,
  preconditions?: Preconditions,
): Promise<ObjectRecord> {
  const { versioning } = getBucket(directory, place.bucket);
  const before = readRecord(recordOf(directory, place));
  checkWrite(place.key, before.versions[0], preconditions);
  const { staged } = blob;
  const version: Omit<Version, "id" | "order"> = {
    ...initOf(about),
    etag: about.etag,
    checksum: about.checksum,
    uploadId: about.uploadId,
    size: about.size ?? blob.size,
    modified: Date.now(),
    content: contentOf(staged),
  };
  const latest = await putOnTop(directory, place, before, version, versioning, staged);
  return toObject(place.key, latest, true);
}

/** Makes a version the latest one, in the way of its bucket; the caller holds the key. */
async function putOnTop(
  directory: Directory,
  place: KeyRef,
  before: KeyRecord,
  version: Omit<Version, "id" | "order">,
  versioning: BucketRecord["versioning"],
  staged?: Staged,
): Promise<Version> {
  const record = recordOf(directory, place);
  const newest =
    before.damaged === true ? olderThan(record, before.versions)[0] : before.versions[0];
  const versions = add(before.versions, version, versioning, newest?.order);
  const inline = staged?.kind === "inline" ? staged.bytes : undefined;
  // Where versioning was never on, there is nothing older.
  const gone =
    versioning === "Suspended" ? findOlder(record, before.versions, NULL)?.record : undefined;
  await commit(directory, place, before, { versions, inline }, staged, gone?.versions[0]);
  if (versioning === "Suspended") await forgetOlder(directory, place, NULL);
  return versions[0];
}

/** Throws NoSuchKey or NoSuchVersion; a delete marker is a record. */
export async function headObject(
  directory: Directory,
  place: KeyRef,
  versionId?: string,
): Promise<ObjectRecord> {
  const { version, isLatest } = choose(directory, place, versionId);
  const record = toObject(place.key, version, isLatest);
  if (version.content.kind !== "segments") return record;
  const manifest = await readManifest(directory.blob(version.content.blob));
  // Replaced between the two looks: the next one sees what is there now.
  if (manifest === undefined) return headObject(directory, place, versionId);
  return manifest.parts === undefined ? record : { ...record, parts: manifest.parts };
}

/** Like headObject, with the bytes held. */
export async function openObject(
  directory: Directory,
  place: KeyRef,
  versionId?: string,
): Promise<OpenBlob> {
  return openVersion(
    directory,
    place.key,
    () => choose(directory, place, versionId),
    () => settleDeferred(directory),
  );
}

/** Replaces a version's tags or ACL and nothing else. */
export async function updateObject(
  directory: Directory,
  place: KeyRef,
  versionId: string | undefined,
  change: Pick<Partial<ObjectInit>, "acl" | "tags">,
): Promise<ObjectRecord> {
  return withKey(directory, place, async () => {
    const record = recordOf(directory, place);
    const { version, inline, isLatest } = choose(directory, place, versionId);
    const changed = { ...version, ...change };
    const before = readRecord(record);
    const at = before.versions.findIndex(({ id }) => id === version.id);
    if (at >= 0) {
      await commit(directory, place, before, {
        ...before,
        versions: before.versions.with(at, changed),
      });
    } else {
      const fresh = await directory.temporary();
      await writeSynced(fresh, serialize({ versions: [changed], inline }));
      const { path } = findOlder(record, before.versions, version.id)!.older;
      await replace(fresh, path);
      await directory.sync(dirname(path));
    }
    return toObject(place.key, changed, isLatest);
  });
}

/**
 * Removes a version, or hides the key in the way of its bucket. Removing what is not there is a
 * success.
 */
export async function deleteObject(
  directory: Directory,
  place: KeyRef,
  versionId?: string,
  preconditions?: Preconditions,
): Promise<DeleteOutcome> {
  return withKey(directory, place, async () => {
    const { versioning } = getBucket(directory, place.bucket);
    const record = recordOf(directory, place);
    const before = readRecord(record);
    const target = find(before.versions, versionId) ?? pick(record, versionId)?.version;
    if (target !== undefined) {
      checkDelete(toObject(place.key, target, target === before.versions[0]), preconditions);
    } else if ((preconditions?.ifMatch ?? preconditions?.ifStill) !== undefined) {
      // Removing what is not there is a success, also when it had to match something.
      return { versionId, deleteMarker: false };
    }
    if (versionId === undefined && versioning !== undefined) {
      checkKey(place.key);
      const marker = deleteMarker(Date.now());
      const { id } = await putOnTop(directory, place, before, marker, versioning);
      return { versionId: id, deleteMarker: true };
    }
    // Where versioning was never on, there is nothing older.
    if (target !== undefined && versioning === undefined) {
      await commit(directory, place, before, NO_RECORD);
    } else if (target !== undefined) await remove(directory, place, before, target);
    if (versionId === undefined) return { deleteMarker: false };
    return { versionId, deleteMarker: target?.deleteMarker ?? false };
  });
}

async function remove(
  directory: Directory,
  place: KeyRef,
  before: KeyRecord,
  target: Version,
): Promise<void> {
  const rest = before.versions.filter(({ id }) => id !== target.id);
  if (rest.length === before.versions.length) return removeOlder(directory, place, target);
  if (before.damaged !== true) await forgetOlder(directory, place, target.id);
  const [next] = rest.length > 0 ? [] : olderThan(recordOf(directory, place), before.versions);
  if (next !== undefined) return uncover(directory, place, before, next);
  // The directory may be left from a change that was cut off right after making it.
  if (target.id !== NULL) await removeIfEmpty(historyOf(recordOf(directory, place)));
  await commit(directory, place, before, { versions: rest, inline: before.inline });
}

function choose(directory: Directory, place: KeyRef, versionId: string | undefined): Picked {
  const picked = pick(recordOf(directory, place), versionId);
  if (picked?.version.content.kind === "damaged") throw damagedRecord(place.key);
  if (picked !== undefined) return picked;
  // A bucket goes only when it has no records, so one with a record need not be asked for.
  getBucket(directory, place.bucket);
  throw versionId === undefined ? noSuchKey(place.key) : noSuchVersion(place.key, versionId);
}

/** Throws KeyTooLongError, or InvalidArgument for no key at all. */
export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > 1024) {
    throw new StoreError("KeyTooLongError", 400, "The key is longer than 1024 bytes.");
  }
  if (key === "") throw new StoreError("InvalidArgument", 400, "The key is empty.");
}
