/**
 * Putting things back. Nothing is destroyed by it: a version that was replaced becomes the latest
 * again as a copy, a delete marker on top of it goes, and what was not there before gets a delete
 * marker or, in a bucket without versions, goes only while it is just what was written. A thing
 * that is no longer as the report left it stays, and is named (Drifted).
 */
import { copyFileSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

import type { TransferItem } from "../engine/events.js";
import type { TransferReport } from "../engine/report.js";
import { createRun, type Run } from "../engine/run.js";
import { forEachItem, readAhead } from "../engine/stream.js";
import { AppError, conflictError, drifted, isAppError } from "../failures/errors.js";
import { versionsOf } from "../listing.js";
import { stateOf } from "../local/attributes.js";
import { commit, temporaryName } from "../local/target.js";
import { type FileRef, type ObjectRef, type Ref, nameOf } from "../ref.js";
import type { ReportHeader, ReportItem } from "../report.js";
import { type KeyState, statesAt } from "../storage/at.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectEntry } from "../storage/storage.js";
import { removeFile } from "../sync/keep.js";
import { type RemoteObject, statObject, tagsToKeep } from "../transfer/remote.js";
import { copy } from "./copy.js";
import { removeObject } from "./removal.js";
import { targetWork } from "./targets.js";
import type { BucketPlace, Place, RunControl } from "./types.js";

export interface UndoRequest extends RunControl {
  readonly dryRun?: boolean | undefined;
  /** Opens a bucket by the names a report has. */
  readonly open: (alias: string, bucket: string) => Promise<BucketStorage>;
}

/** Puts a bucket, or what is below a prefix, back as it was at a moment in milliseconds. */
export async function undoTo(
  request: UndoRequest,
  { alias, storage, key }: BucketPlace,
  moment: number,
): Promise<TransferReport> {
  const run = createRun(request);
  const changed = async function* () {
    for await (const page of statesAt(storage, moment, { prefix: key, signal: run.signal })) {
      // Of a key that had nothing then, and has nothing now, nothing is to be put back.
      const isSame = ({ latest, wanted }: KeyState) => !wanted && latest.isDeleteMarker === true;
      yield page.filter((state) => state.newer.length > 0 && !isSame(state));
    }
  };
  await work(run, changed(), async (state) => {
    const { latest, wanted } = state;
    const ref = refOf({ alias, storage }, latest);
    const source = wanted && { ...ref, versionId: wanted.versionId, etag: wanted.etag };
    const item = itemOf(run, ref, source);
    await settle(run, request, item, () => putBack(run, { alias, storage }, item, state));
  });
  return run.report();
}

/** Undoes what a report says was done. */
export async function undoReport(
  request: UndoRequest,
  header: ReportHeader,
  items: Iterable<ReportItem>,
): Promise<TransferReport> {
  const run = createRun(request);
  const pages = async function* () {
    for (const item of items) yield [item];
  };
  await work(run, pages(), async (entry) => {
    const { target, from } = entry;
    const isNew = entry.do === "write" && entry.wasNew === true;
    const item = itemOf(run, from ?? target, isNew && from === undefined ? undefined : target);
    await settle(run, request, item, async () => {
      if (from !== undefined) await moveBack(run, request, item, entry, from, header);
      if (target.type === "file") return undoFile(entry, target, header);
      // The copy goes back to the item's target, which is named by where it came from.
      return undoObject(run, request, { ...item, target }, entry, target, header);
    });
  });
  return run.report();
}

async function work<T>(
  run: Run,
  pages: AsyncIterable<readonly T[]>,
  each: (one: T) => Promise<void>,
): Promise<void> {
  const planned = async function* () {
    for await (const page of pages) {
      run.emit({ type: "planned", items: page.length, bytes: 0 });
      yield page;
    }
    run.emit({ type: "counted" });
  };
  try {
    await forEachItem(readAhead(planned()), run.objects, run.signal, async (one) => {
      await each(one);
      return 1;
    });
  } catch (error) {
    if (!run.signal.aborted) throw error;
  }
}

function itemOf(run: Run, target: Ref, source: Ref | undefined): TransferItem {
  return run.item({ action: source ? "copy" : "remove", source, target, size: undefined });
}

async function settle(
  run: Run,
  { dryRun }: UndoRequest,
  item: TransferItem,
  act: () => Promise<void> | void,
): Promise<void> {
  if (dryRun === true) return run.emit({ type: "skipped", item, reason: "dry-run" });
  try {
    run.emit({ type: "started", item });
    await act();
    run.finished(item);
  } catch (error) {
    run.failed(item, error);
  }
}

type Bucket = Pick<BucketPlace, "alias" | "storage">;

function refOf({ alias, storage }: Bucket, { key, etag }: ObjectEntry): ObjectRef {
  return { type: "object", alias, bucket: storage.bucket, key, etag };
}

/** Makes a key what it was: `wanted`, or nothing. */
async function putBack(
  run: Run,
  bucket: Bucket,
  item: TransferItem,
  { latest, wanted, newer }: KeyState,
): Promise<void> {
  const { storage } = bucket;
  if (wanted === undefined) {
    return removeObject({ storage, ref: refOf(bucket, latest) }, { etag: latest.etag }, run.signal);
  }
  if (newer.length > 0 && newer.every(({ isDeleteMarker }) => isDeleteMarker === true)) {
    const markers = newer.map(({ key, versionId }) => ({ key, versionId }));
    for (const { error } of await storage.remove(markers, { signal: run.signal })) {
      if (error !== undefined) throw new AppError({ kind: "conflict", ...error });
    }
    return;
  }
  const ref: ObjectRef = { ...refOf(bucket, wanted), versionId: wanted.versionId };
  await copyTo(run, bucket, item, { ref, storage }, latest);
}

/** Copies an object over just what is there; as at a move, its class and its KMS key come along. */
async function copyTo(
  run: Run,
  { alias, storage }: Bucket,
  item: TransferItem,
  { ref, storage: from }: RemoteObject,
  latest: ObjectEntry | undefined,
): Promise<void> {
  const { key } = item.target as ObjectRef;
  const target = { type: "bucket", alias, storage, key } as const;
  const nothing = latest === undefined || latest.isDeleteMarker === true;
  const expected = nothing ? "unlisted" : { etag: latest.etag ?? "" };
  const info = await statObject(run, { storage: from, ref });
  const found = { ref: { ...ref, etag: ref.etag ?? info.etag }, storage: from };
  // The service brings tags by itself.
  const tags = from.client === storage.client ? undefined : await tagsToKeep(found);
  const known = { size: info.size, kept: { info, tags } };
  const source = { type: "object", name: key, ...found, ...known } as const;
  await targetWork(run, { sources: [], target }, false).copy(item, source, undefined, expected);
}

/**
 * Puts the source of a move back: by its versions, or else from where it is now, which has its only
 * bytes.
 */
async function moveBack(
  run: Run,
  request: UndoRequest,
  item: TransferItem,
  { target, etag, versionId }: ReportItem,
  from: ObjectRef | FileRef,
  header: ReportHeader,
): Promise<void> {
  if (from.type === "object") {
    try {
      const gone: ReportItem = { do: "remove", target: from, versionId: from.versionId };
      return await undoObject(run, request, item, gone, from, header);
    } catch (error) {
      if (!isAppError(error) || error.code !== "CannotUndo") throw error;
    }
  }
  const asLeft = target.type === "file" ? stateOf(target.path) : (etag ?? versionId);
  if (asLeft === undefined || (target.type === "file" && asLeft !== etag)) {
    throw drifted(nameOf(target));
  }
  const placeOf = async (ref: ObjectRef | FileRef): Promise<Place> => {
    if (ref.type === "file") return { type: "path", path: ref.path };
    const { alias, bucket, key } = ref;
    return { type: "bucket", alias, key, storage: await request.open(alias, bucket) };
  };
  const source = {
    ...(await placeOf(target)),
    ...(target.type === "object" && { etag, versionId }),
  };
  const back = { sources: [source], target: await placeOf(from), exact: true, signal: run.signal };
  const { failures } = await copy({ ...back, ifExists: "fail" });
  if (failures[0] !== undefined) throw failures[0].error;
}

async function undoObject(
  run: Run,
  { open }: UndoRequest,
  item: TransferItem,
  entry: ReportItem,
  target: ObjectRef,
  header: ReportHeader,
): Promise<void> {
  const { alias, key } = target;
  const storage = await open(alias, target.bucket);
  const versions: ObjectEntry[] = [];
  for await (const page of versionsOf(storage, key, run.signal)) versions.push(...page);
  const [latest, previous] = versions;
  const isGone = latest === undefined || latest.isDeleteMarker === true;
  // A state that the report does not tell cannot be known again.
  const asWritten =
    (entry.versionId ?? entry.etag) !== undefined &&
    (entry.versionId ?? latest?.versionId) === latest?.versionId &&
    (entry.etag ?? latest?.etag) === latest?.etag;
  const asLeft = entry.do === "remove" ? isGone : !isGone && asWritten;
  if (!asLeft) throw drifted(nameOf(target));
  const isVersioned = latest !== undefined && (latest.versionId ?? "null") !== "null";
  if (isVersioned && !(entry.do === "remove" && entry.versionId !== undefined)) {
    // The version beneath it was there before; a delete marker means that there was nothing.
    const wanted = previous?.isDeleteMarker === true ? undefined : previous;
    if (entry.do === "remove") {
      if (wanted === undefined) throw lost(target);
      // Another object took the name meanwhile, and is gone as well.
      if ((target.etag ?? wanted.etag) !== wanted.etag) throw drifted(nameOf(target));
    }
    return putBack(run, { alias, storage }, item, { latest, wanted, newer: [latest] });
  }
  const kept = keptOf(target, header);
  if (entry.wasNew === true && entry.do === "write") {
    const ref = refOf({ alias, storage }, latest!);
    return removeObject({ storage, ref }, { etag: ref.etag }, run.signal);
  }
  if (kept?.type !== "object") throw lost(target);
  const from = await open(kept.alias, kept.bucket);
  await copyTo(run, { alias, storage }, item, { ref: kept, storage: from }, latest);
}

function undoFile(entry: ReportItem, { path }: FileRef, header: ReportHeader): void {
  const state = stateOf(path);
  if (entry.do === "write" ? state === undefined || state !== entry.etag : state !== undefined) {
    throw drifted(path);
  }
  if (entry.wasNew === true) {
    const root = header.target?.type === "file" ? header.target.path : dirname(path);
    return removeFile(root, { name: nameBelow(root, path), etag: entry.etag });
  }
  const kept = keptOf({ type: "file", path }, header);
  if (kept?.type !== "file") throw lost({ type: "file", path });
  mkdirSync(dirname(path), { recursive: true });
  const temporary = temporaryName(path);
  copyFileSync(kept.path, temporary);
  const { atimeMs, mtimeMs } = statSync(kept.path);
  utimesSync(temporary, atimeMs / 1000, mtimeMs / 1000);
  // Only over the very state that was found, or where still nothing is.
  if (!commit(temporary, path, state === undefined, undefined, state)) throw drifted(path);
}

function nameBelow(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

/** The place where a sync kept the thing it replaced or removed under this name. */
function keptOf(
  target: Ref,
  { kept, target: root }: ReportHeader,
): ObjectRef | FileRef | undefined {
  if (kept === undefined || root === undefined) return undefined;
  let name = "";
  if (target.type === "file" && root.type === "file") name = nameBelow(root.path, target.path);
  else if (target.type === "object" && root.type === "object") {
    name = target.key.slice(root.key.length);
  } else return undefined;
  if (kept.type === "file") return { ...kept, path: join(kept.path, name) };
  return { ...kept, key: kept.key + name };
}

function lost(target: Ref): AppError {
  return conflictError(
    "CannotUndo",
    `${nameOf(target)} cannot be put back: nothing of what it was is left`,
    "versioning, or pail sync --backup, keeps what is replaced or removed",
  );
}
