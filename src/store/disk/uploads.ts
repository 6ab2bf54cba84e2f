/**
 * Unfinished multipart uploads: a directory each, with `upload.json`, and for each part its bytes
 * (`00001-<id>`) and what is said about them (`00001.json`, whose replacement commits the part).
 */
import { randomBytes } from "node:crypto";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { rename } from "../../system/calls.js";
import type {
  ObjectInit,
  ObjectRecord,
  PartRecord,
  Preconditions,
  StoredChecksum,
  UploadRecord,
} from "../records.js";
import { StoreError } from "../errors.js";
import { bucketStands, getBucket, uploadsOf } from "./buckets.js";
import type { Directory, KeyRef } from "./directory.js";
import { recordOf, takeAway, withKey } from "./directory.js";
import { noSuchBucket, noSuchUpload } from "./failures.js";
import {
  ifThere,
  isErrno,
  makeDirectory,
  mapSome,
  replace,
  writeSynced,
} from "../../system/files.js";
import { olderThan } from "./history.js";
import { toBytes } from "./names.js";
import { checkKey, putHeld } from "./objects.js";
import type { Version } from "./record.js";
import { initOf, readRecord, readVersions, toObject } from "./record.js";
import { readManifest, readSegments } from "./segments.js";
import type { StagedBlob } from "./stage.js";
import { asFile, idOf, stage, stageSegments } from "./stage.js";
import { timeOf } from "./versions.js";

const FILE = "upload.json";

interface PartFile {
  readonly part: PartRecord;
  /** The file of its bytes. */
  readonly name: string;
  /** The number of those bytes, where it is above the part's size: sealing adds some. */
  readonly stored?: number | undefined;
}

/** Begins an upload. Its id sorts by time. */
export async function createUpload(
  directory: Directory,
  { bucket, key }: KeyRef,
  about: ObjectInit & Pick<UploadRecord, "checksum">,
): Promise<UploadRecord> {
  checkKey(key);
  getBucket(directory, bucket);
  const initiated = new Date();
  const uploadId =
    initiated.getTime().toString(16).padStart(12, "0") + randomBytes(10).toString("hex");
  const upload = { ...initOf(about), checksum: about.checksum, uploadId, key, initiated };
  const fresh = await directory.temporary();
  try {
    await makeDirectory(fresh);
    await writeSynced(join(fresh, FILE), [Buffer.from(JSON.stringify(upload))]);
    await directory.sync(fresh);
    const target = pathOf(directory, bucket, uploadId);
    await rename(fresh, target).catch(async (error: unknown) => {
      if (!isErrno(error, "ENOENT")) throw error;
      if (!(await bucketStands(directory, bucket))) throw noSuchBucket(bucket);
      await rename(fresh, target);
    });
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
  await directory.sync(uploadsOf(directory, bucket));
  return upload;
}

/** Throws NoSuchUpload, also when the upload is of another key. */
export async function getUpload(
  directory: Directory,
  { bucket, key }: KeyRef,
  uploadId: string,
): Promise<UploadRecord> {
  getBucket(directory, bucket);
  const upload = await readUpload(directory, bucket, uploadId);
  if (upload === undefined || upload.key !== key) throw noSuchUpload(uploadId);
  return upload;
}

/** Keeps a part; one of the same number is replaced. */
export async function putPart(
  directory: Directory,
  place: KeyRef,
  uploadId: string,
  blob: StagedBlob,
  about: Omit<PartRecord, "lastModified" | "size"> & { readonly size?: number | undefined },
): Promise<PartRecord> {
  await getUpload(directory, place, uploadId);
  const upload = pathOf(directory, place.bucket, uploadId);
  const path = await asOneFile(directory, blob);
  const number = String(about.number).padStart(5, "0");
  const name = `${number}-${idOf({ path })}`;
  const { etag, checksum, salt, size = blob.size } = about;
  const lastModified = new Date();
  const part = { number: about.number, size, etag, lastModified, checksum, salt };
  const stored = size === blob.size ? undefined : blob.size;
  const fresh = await directory.temporary();
  try {
    const before = await readPart(upload, `${number}.json`);
    await writeSynced(fresh, [Buffer.from(JSON.stringify({ part, name, stored }))]);
    await rename(path, join(upload, name));
    await replace(fresh, join(upload, `${number}.json`));
    await directory.sync(upload);
    if (before !== undefined) await rm(join(upload, before.name), { force: true });
    return part;
  } catch (error) {
    await rm(fresh, { force: true });
    await rm(path, { force: true });
    throw isErrno(error, "ENOENT") ? noSuchUpload(uploadId) : error;
  }
}

/** All parts, by number. */
export async function listParts(
  directory: Directory,
  place: KeyRef,
  uploadId: string,
): Promise<PartRecord[]> {
  await getUpload(directory, place, uploadId);
  const upload = pathOf(directory, place.bucket, uploadId);
  const names = (await ifThere(readdir(upload))) ?? [];
  const files = names.filter((name) => name.endsWith(".json") && name !== FILE).sort();
  const parts = await mapSome(files, (name) => readPart(upload, name));
  return parts.flatMap((file) => file?.part ?? []);
}

/** The unfinished uploads of keys with the prefix, by key and then by time. */
export async function listUploads(
  directory: Directory,
  bucket: string,
  prefix: string,
): Promise<UploadRecord[]> {
  getBucket(directory, bucket);
  const ids = (await ifThere(readdir(uploadsOf(directory, bucket)))) ?? [];
  const uploads = await mapSome(ids, (id) => readUpload(directory, bucket, id));
  return uploads
    .filter((upload) => upload !== undefined)
    .filter((upload) => upload.key.startsWith(prefix))
    .map((upload) => ({ upload, order: `${toBytes(upload.key)}\0${upload.uploadId}` }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ upload }) => upload);
}

/** Makes the object of links to the parts and ends the upload; a second time changes nothing. */
export async function completeUpload(
  directory: Directory,
  place: KeyRef,
  uploadId: string,
  parts: readonly PartRecord[],
  result: { readonly etag: string; readonly checksum?: StoredChecksum | undefined },
  preconditions?: Preconditions,
): Promise<ObjectRecord> {
  return withKey(directory, place, async () => {
    const done = await alreadyDone(directory, place, uploadId, parts);
    if (done !== undefined) return done;
    const upload = await getUpload(directory, place, uploadId);
    const path = pathOf(directory, place.bucket, uploadId);
    const files = await mapSome(parts, async (part) => {
      const file = await readPart(path, `${String(part.number).padStart(5, "0")}.json`);
      if (file?.part.etag !== part.etag) {
        throw new StoreError("InvalidPart", 400, `Part ${part.number} is not the one uploaded.`, {
          PartNumber: String(part.number),
        });
      }
      return file;
    });
    const segments = files.map(({ name, part, stored }) => ({ name, size: stored ?? part.size }));
    const manifest = { segments, parts: files.map(({ part }) => part) };
    const sources = files.map(({ name }) => join(path, name));
    const blob = await stageSegments(directory, sources, manifest);
    try {
      const size = parts.reduce((sum, part) => sum + part.size, 0);
      const about = { ...initOf(upload), uploadId, size, ...result };
      const record = await putHeld(directory, place, blob, about, preconditions);
      await remove(directory, place.bucket, uploadId);
      return { ...record, parts: manifest.parts };
    } finally {
      await blob.discard();
    }
  });
}

/** Throws NoSuchUpload when it is not there, or was completed before this came to its turn. */
export async function abortUpload(
  directory: Directory,
  place: KeyRef,
  uploadId: string,
): Promise<void> {
  await withKey(directory, place, async () => {
    await getUpload(directory, place, uploadId);
    await remove(directory, place.bucket, uploadId);
  });
}

/** The object an earlier completion with the same parts made. */
async function alreadyDone(
  directory: Directory,
  place: KeyRef,
  uploadId: string,
  parts: readonly PartRecord[],
): Promise<ObjectRecord | undefined> {
  const path = recordOf(directory, place);
  const { versions } = readRecord(path);
  const version =
    versions.find((other) => other.uploadId === uploadId) ??
    madeSince(path, versions, uploadId).find((other) => other.uploadId === uploadId);
  if (version?.content.kind !== "segments") return undefined;
  const manifest = await readManifest(directory.blob(version.content.blob));
  const list = (of: readonly PartRecord[] = []): string =>
    of.map(({ number, etag }) => `${number} ${etag}`).join();
  if (list(manifest?.parts) !== list(parts)) throw noSuchUpload(uploadId);
  // The earlier completion may have been cut off after it made the object.
  await remove(directory, place.bucket, uploadId);
  return { ...toObject(place.key, version, version === versions[0]), parts: manifest?.parts };
}

/** The older versions that an upload may have made: those from after it was begun. */
function madeSince(path: string, versions: readonly Version[], uploadId: string): Version[] {
  // Clocks may have been wrong or changed meanwhile, by up to a day.
  const begun = Number.parseInt(uploadId.slice(0, 12), 16) - 86_400_000;
  return olderThan(path, versions)
    .filter(({ order }) => timeOf(order) >= begun)
    .flatMap((older) => readVersions(older.path, "latest"));
}

async function remove(directory: Directory, bucket: string, uploadId: string): Promise<void> {
  const doomed = await takeAway(directory, pathOf(directory, bucket, uploadId));
  if (doomed === undefined) return;
  try {
    await directory.sync(uploadsOf(directory, bucket));
  } finally {
    await rm(doomed, { recursive: true, force: true });
  }
}

async function asOneFile(directory: Directory, blob: StagedBlob): Promise<string> {
  if (blob.staged.kind !== "segments") return asFile(directory, blob);
  const { path } = blob.staged;
  const manifest = await readManifest(path);
  if (manifest === undefined) throw new Error(`staged bytes are missing: ${path}`);
  const whole = await stage(directory, readSegments(path, manifest, 0, blob.size - 1));
  await blob.discard();
  return asFile(directory, whole);
}

async function readUpload(
  directory: Directory,
  bucket: string,
  uploadId: string,
): Promise<UploadRecord | undefined> {
  // Ids come from strangers and become paths here.
  if (!/^[0-9a-f]{32}$/.test(uploadId)) return undefined;
  const text = await ifThere(readFile(join(pathOf(directory, bucket, uploadId), FILE), "utf8"));
  if (text === undefined) return undefined;
  const upload = JSON.parse(text) as UploadRecord;
  return { ...upload, initiated: new Date(upload.initiated) };
}

async function readPart(upload: string, name: string): Promise<PartFile | undefined> {
  const text = await ifThere(readFile(join(upload, name), "utf8"));
  if (text === undefined) return undefined;
  const file = JSON.parse(text) as PartFile;
  return { ...file, part: { ...file.part, lastModified: new Date(file.part.lastModified) } };
}

function pathOf(directory: Directory, bucket: string, uploadId: string): string {
  return join(uploadsOf(directory, bucket), uploadId);
}
