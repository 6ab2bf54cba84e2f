/**
 * Replacing the record of a key, which is the one instant at which a write happens.
 *
 * A commit that adds or removes blobs first writes down which (an intent), because a crash before
 * the record is replaced leaves the added ones unused, and a crash after it the removed ones.
 * Whoever sweeps settles the intents of the dead: of the blobs named there, those that the key's
 * record does not refer to are removed. Small objects have no blobs and need none of this.
 */
import { link, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Directory, Place } from "./directory.js";
import { recordOf, withKey } from "./directory.js";
import { isErrno } from "./failures.js";
import { ifThere, makeDirectory, writeSynced } from "./files.js";
import type { Content, KeyRecord } from "./record.js";
import { blobOf, readRecord, serialize } from "./record.js";
import { removeBlob } from "./segments.js";
import type { Staged } from "./stage.js";
import { idOf } from "./stage.js";
import { ensureDirectory, placeRecord, removeRecord } from "./tree.js";

interface Intent extends Place {
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
 * Replaces a key's record; the caller holds the key. On a throw the old record stands, unless what
 * failed was making the new one durable.
 */
export async function commit(
  directory: Directory,
  place: Place,
  before: KeyRecord,
  after: KeyRecord,
  added?: Staged,
): Promise<void> {
  // Written before anything is declared: if this process is taken for dead and swept, its record
  // goes first, and without it a blob that was swept can no more be referred to.
  const fresh = after.versions.length === 0 ? undefined : await writeFresh(directory, after);
  try {
    if (before.damaged === true) await setAside(directory, place);
    const blobs = changedBlobs(before, after);
    if (blobs.length === 0) return await put(directory, place, fresh, before);
    const intent: Intent = { ...place, blobs };
    const file = await declare(directory, intent, added === undefined);
    try {
      if (added !== undefined && added.kind !== "inline") await moveIn(directory, added);
      await put(directory, place, fresh, before);
    } catch (error) {
      await settle(directory, file, intent, readRecord(recordOf(directory, place)));
      throw error;
    }
    await settle(directory, file, intent, after);
  } catch (error) {
    if (fresh !== undefined) await rm(fresh, { force: true });
    throw error;
  }
}

/** Keeps a record that cannot be read under `damaged/`: somebody may still make sense of it. */
async function setAside(directory: Directory, place: Place): Promise<void> {
  const shelf = join(directory.root, "damaged");
  await makeDirectory(shelf);
  const name = `${place.bucket}-${basename(await directory.temporary())}`;
  await ifThere(link(recordOf(directory, place), join(shelf, name)));
}

/** The blobs that only one of two records refers to. */
function changedBlobs(before: KeyRecord, after: KeyRecord): string[] {
  const [old, now] = [blobsOf(before), blobsOf(after)];
  return [...[...old].filter((id) => !now.has(id)), ...[...now].filter((id) => !old.has(id))];
}

function blobsOf(record: KeyRecord): Set<string> {
  return new Set(record.versions.flatMap((version) => blobOf(version) ?? []));
}

/**
 * Settles what a process that is no more, or that had to leave it, meant to do. The intent may
 * have been settled by somebody else meanwhile.
 */
export async function settleLater(directory: Directory, file: string): Promise<void> {
  const text = await ifThere(readFile(file, "utf8"));
  if (text === undefined) return;
  const intent = parse(text);
  // Cut off before it was whole: then nothing of it had been begun.
  if (intent === undefined) return rm(file, { force: true });
  await withKey(directory, intent, async () => {
    const record = readRecord(recordOf(directory, intent));
    // Which blobs a damaged record refers to is not known, so none may go.
    if (record.damaged !== true) await settle(directory, file, intent, record);
  });
}

/** Whether any process may settle this intent, not only one that found its writer dead. */
export function isDeferred(file: string): boolean {
  return basename(file).startsWith(DEFERRED);
}

/** Removes those of the intent's blobs that the record does not refer to; the key is held. */
async function settle(
  directory: Directory,
  file: string | undefined,
  intent: Intent,
  record: KeyRecord,
): Promise<void> {
  const used = blobsOf(record);
  let done = true;
  for (const blob of intent.blobs) {
    if (!used.has(blob)) done = (await removeBlob(directory, blob)) && done;
  }
  if (file === undefined) return;
  if (done) await rm(file, { force: true });
  else if (!isDeferred(file)) await rename(file, join(dirname(file), DEFERRED + basename(file)));
}

/**
 * Undefined when the disk is too full for it and the commit only takes away: that has to work, and
 * without an intent it can cost space at worst, if it is cut off.
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

async function put(
  directory: Directory,
  place: Place,
  fresh: string | undefined,
  before: KeyRecord,
): Promise<void> {
  if (fresh === undefined) await removeRecord(directory, place);
  else await placeRecord(directory, place, fresh, before.versions.length > 0);
}
