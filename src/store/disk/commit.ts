/**
 * Replacing the record of a key, which is the one instant at which a write happens.
 *
 * A commit that adds or removes blobs first writes down which (an intent), because a crash before
 * the record is replaced leaves the added ones unused, and a crash after it the removed ones.
 * A sweep settles the intents of dead processes: it removes those of the blobs named there that
 * the key's record does not refer to. Small objects have no blobs and need none of this.
 */
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { link, rename } from "../../system/calls.js";
import { addName } from "./catalog/catalog.js";
import type { Directory, KeyRef } from "./directory.js";
import { recordOf, withKey } from "./directory.js";
import {
  ifThere,
  isErrno,
  makeDirectory,
  removeIfEmpty,
  replace,
  writeSynced,
} from "../../system/files.js";
import type { Older } from "./history.js";
import { forgetOlder, keep, olderThan } from "./history.js";
import type { Content, KeyRecord, Version } from "./record.js";
import { blobOf, readRecord, readVersions, serialize } from "./record.js";
import { removeBlob } from "./segments.js";
import type { Staged } from "./stage.js";
import { idOf } from "./stage.js";
import { ensureDirectory, placeRecord, removeRecord } from "./tree.js";

interface Intent extends KeyRef {
  readonly blobs: readonly string[];
}

/** Intents that the process which wrote them has left for any other to settle. */
const DEFERRED = "deferred-";

/** Where staged bytes will be once committed. */
export function contentOf(staged: Staged): Content {
  if (staged.kind === "inline") return { kind: "inline" };
  return { kind: staged.kind, blob: idOf(staged) };
}

/**
 * Replaces a key's record; the caller holds the key. `after` is what is to follow the versions that
 * the record had: its first becomes the record, the others are kept beside it. On a throw the old
 * record stands, unless what failed was making the new one durable. `gone` is an older version that
 * the new one takes the place of.
 */
export async function commit(
  directory: Directory,
  place: KeyRef,
  before: KeyRecord,
  after: KeyRecord,
  added?: Staged,
  gone?: Version,
): Promise<void> {
  const [latest, ...older] = after.versions;
  const inline = latest?.content.kind === "inline" ? after.inline : undefined;
  // Two syncs in the time of one: a key has to be named only before its record is put in place.
  const named = latest && addName(directory, place, before.versions.length > 0);
  const settled = named?.catch(() => undefined);
  // Written before anything is declared: if this process is taken for dead and swept, its record
  // goes first, and without the record nothing can refer to a blob that was swept.
  let fresh: string | undefined;
  try {
    if (latest !== undefined) fresh = await writeFresh(directory, { versions: [latest], inline });
  } finally {
    await settled;
  }
  try {
    if (before.damaged === true) await setAside(directory, place);
    const blobs = changedBlobs([...before.versions, ...(gone ? [gone] : [])], after.versions);
    await withIntent(directory, place, blobs, added !== undefined, after.versions, async () => {
      if (added !== undefined && added.kind !== "inline") await moveIn(directory, added);
      await keep(directory, place, before, older);
      if (fresh === undefined) await removeRecord(directory, place);
      else await placeRecord(directory, place, fresh, await named!);
    });
  } catch (error) {
    if (fresh !== undefined) await directory.remove(fresh);
    throw error;
  }
}

/** Removes the latest version, so that an older one becomes the latest; the caller holds the key. */
export async function uncover(
  directory: Directory,
  place: KeyRef,
  before: KeyRecord,
  next: Older,
): Promise<void> {
  const record = recordOf(directory, place);
  if (before.damaged === true) await setAside(directory, place);
  await withIntent(directory, place, [...blobsOf(before.versions)], false, [], async () => {
    await replace(next.path, record);
    await directory.sync(dirname(next.path));
    await directory.sync(dirname(record));
  });
  await removeIfEmpty(dirname(next.path));
}

/** Removes a version that is not in the record; the caller holds the key. */
export async function removeOlder(
  directory: Directory,
  place: KeyRef,
  version: Version,
): Promise<void> {
  const blobs = [...blobsOf([version])];
  await withIntent(directory, place, blobs, false, [], () =>
    forgetOlder(directory, place, version.id),
  );
}

/** Does work that adds or removes blobs, and then removes those of them that are not used. */
async function withIntent(
  directory: Directory,
  place: KeyRef,
  blobs: readonly string[],
  adds: boolean,
  after: readonly Version[],
  work: () => Promise<void>,
): Promise<void> {
  if (blobs.length === 0) return work();
  const intent: Intent = { ...place, blobs };
  const file = await declare(directory, intent, !adds);
  try {
    await work();
  } catch (error) {
    const used = blobsOfAll(directory, place);
    if (used !== undefined) await settle(directory, file, intent, used);
    throw error;
  }
  await settle(directory, file, intent, blobsOf(after));
}

/** Keeps a record that cannot be read under `damaged/`: somebody may still make sense of it. */
async function setAside(directory: Directory, place: KeyRef): Promise<void> {
  const shelf = join(directory.root, "damaged");
  await makeDirectory(shelf);
  const name = `${place.bucket}-${basename(await directory.temporary())}`;
  await ifThere(link(recordOf(directory, place), join(shelf, name)));
}

/** The blobs that either the old versions or the new ones refer to, but not both. */
function changedBlobs(before: readonly Version[], after: readonly Version[]): string[] {
  const [old, now] = [blobsOf(before), blobsOf(after)];
  return [...[...old].filter((id) => !now.has(id)), ...[...now].filter((id) => !old.has(id))];
}

function blobsOf(versions: readonly Version[]): Set<string> {
  return new Set(versions.flatMap((version) => blobOf(version) ?? []));
}

/** The blobs of all versions of a key; undefined when a damaged one does not tell its blobs. */
function blobsOfAll(directory: Directory, place: KeyRef): Set<string> | undefined {
  const path = recordOf(directory, place);
  const { versions } = readRecord(path);
  const older = olderThan(path, versions).flatMap((each) => readVersions(each.path, "all"));
  const all = [...versions, ...older];
  return all.some(({ content }) => content.kind === "damaged") ? undefined : blobsOf(all);
}

/**
 * Settles an intent of a process that is no more, or that had to leave it. Somebody else may have
 * settled it meanwhile.
 */
export async function settleLater(directory: Directory, file: string): Promise<void> {
  const text = await ifThere(readFile(file, "utf8"));
  if (text === undefined) return;
  const intent = parse(text);
  // It was cut off before it was whole, so none of its work had begun.
  if (intent === undefined) return directory.remove(file);
  await withKey(directory, intent, async () => {
    const used = blobsOfAll(directory, intent);
    // The blobs that a damaged record refers to are not known, so none may go.
    if (used !== undefined) await settle(directory, file, intent, used);
  });
}

/** Whether any process may settle this intent, not only one that found its writer dead. */
export function isDeferred(file: string): boolean {
  return basename(file).startsWith(DEFERRED);
}

/** Removes those of the intent's blobs that are not used; the key is held. */
async function settle(
  directory: Directory,
  file: string | undefined,
  intent: Intent,
  used: ReadonlySet<string>,
): Promise<void> {
  let done = true;
  for (const blob of intent.blobs) {
    if (!used.has(blob)) done = (await removeBlob(directory, blob)) && done;
  }
  if (file === undefined) return;
  if (done) await directory.remove(file);
  else if (!isDeferred(file)) await rename(file, join(dirname(file), DEFERRED + basename(file)));
}

/**
 * Undefined when the disk is too full for it and the commit only takes away: that has to work, and
 * if it is cut off without an intent, it costs space at worst.
 */
async function declare(
  directory: Directory,
  intent: Intent,
  onlyTakesAway: boolean,
): Promise<string | undefined> {
  const file = await directory.temporary("intents");
  try {
    await writeSynced(file, [Buffer.from(JSON.stringify(intent))]);
    return file;
  } catch (error) {
    if (onlyTakesAway && isErrno(error, "ENOSPC", "EDQUOT")) return undefined;
    throw error;
  }
}

function parse(text: string): Intent | undefined {
  try {
    return JSON.parse(text) as Intent;
  } catch {
    return undefined;
  }
}

async function moveIn(directory: Directory, staged: { readonly path: string }): Promise<void> {
  const target = directory.blob(idOf(staged));
  const shard = dirname(target);
  await ensureDirectory(directory, dirname(shard), shard);
  await rename(staged.path, target);
  await directory.sync(shard);
}

async function writeFresh(directory: Directory, record: KeyRecord): Promise<string> {
  const fresh = await directory.temporary();
  await writeSynced(fresh, serialize(record));
  return fresh;
}
