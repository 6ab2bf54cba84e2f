/**
 * The older versions of a key: a file each, `<id>` in the directory `name~` beside the key's record
 * `name=`, of the form of a record. The record itself holds the latest version, so a change costs
 * the same however many there are. (A record of pail 0.1 holds them all; the next change of the key
 * takes it apart.)
 *
 * A version is put here before another takes its place as the latest, and one that becomes the
 * latest again is moved back by the rename that makes it so. So a process that is cut off can leave
 * a second copy here of a version in the record, but never lose one. A file that does not follow
 * the versions in the record is such a copy: it does not count, and it goes before its version.
 */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { link, unlink } from "../../system/calls.js";
import type { Directory, KeyRef } from "./directory.js";
import { recordOf } from "./directory.js";
import {
  ifThere,
  isErrno,
  makeDirectory,
  removeIfEmpty,
  replace,
  writeSynced,
} from "../../system/files.js";
import type { KeyRecord, Version } from "./record.js";
import { readRecord, readVersions, serialize } from "./record.js";
import { NULL, find } from "./versions.js";

/** A version that is not in the record. */
export interface Older {
  readonly id: string;
  readonly order: string;
  readonly path: string;
}

const ID = /^[0-9a-f]{32}$/;

/** The directory of the older versions beside a record. */
export function historyOf(record: string): string {
  return `${record.slice(0, -1)}~`;
}

/** The versions that follow those of a record, newest first. */
export function olderThan(record: string, versions: readonly Version[]): Older[] {
  return namesIn(historyOf(record))
    .flatMap((id) => follower(record, versions, id) ?? [])
    .sort((a, b) => (a.order < b.order ? -1 : 1));
}

/** The older version of an id, which may be anything a stranger sent. */
export function findOlder(
  record: string,
  versions: readonly Version[],
  id: string,
): { readonly older: Older; readonly record: KeyRecord } | undefined {
  const older = ID.test(id) || id === NULL ? follower(record, versions, id) : undefined;
  const found = older && readRecord(older.path);
  return older && found && found.versions.length > 0 ? { older, record: found } : undefined;
}

/** A version of a key as it was found. */
export interface Picked {
  readonly version: Version;
  readonly inline: Buffer | undefined;
  readonly isLatest: boolean;
}

/** The latest version, or the one of an id; undefined where there is none. */
export function pick(record: string, id: string | undefined): Picked | undefined {
  for (let before: string | undefined; ;) {
    const { versions, inline } = readRecord(record);
    const version = find(versions, id);
    if (version !== undefined) return { version, inline, isLatest: version === versions[0] };
    const latest = versions[0]?.order;
    if (id === undefined || latest === undefined) return undefined;
    const found = findOlder(record, versions, id)?.record;
    if (found !== undefined) {
      return { version: found.versions[0]!, inline: found.inline, isLatest: false };
    }
    // The version may just have become the latest again: then the latest has changed.
    if (latest === before) return undefined;
    before = latest;
  }
}

/** Keeps versions of a record that is about to be replaced; the caller holds the key. */
export async function keep(
  directory: Directory,
  place: KeyRef,
  before: KeyRecord,
  versions: readonly Version[],
): Promise<void> {
  if (versions.length === 0) return;
  const record = recordOf(directory, place);
  const history = historyOf(record);
  if (await makeDirectory(history)) await directory.sync(dirname(history));
  for (const version of versions) {
    if (version.content.kind === "damaged") {
      // Under `damaged/` it is kept in any case; here it must not take the place of another.
      await link(record, join(history, version.id)).catch((error: unknown) => {
        if (!isErrno(error, "EEXIST")) throw error;
      });
      continue;
    }
    const fresh = await directory.temporary();
    if (before.versions.length === 1) {
      await link(record, fresh);
    } else {
      const inline = version.content.kind === "inline" ? before.inline : undefined;
      await writeSynced(fresh, serialize({ versions: [version], inline }));
    }
    // This also replaces a copy that was left there: the new one may have other tags.
    await replace(fresh, join(history, version.id));
    // Renaming one link of a file over another does nothing.
    await ifThere(unlink(fresh));
  }
  await directory.sync(history);
}

/** Removes an older version, or a copy that does not count, durably; the caller holds the key. */
export async function forgetOlder(directory: Directory, place: KeyRef, id: string): Promise<void> {
  const history = historyOf(recordOf(directory, place));
  // Most keys have none, and looking costs less than a trip through the thread pool.
  if (!existsSync(history)) return;
  if ((await ifThere(unlink(join(history, id)).then(() => true))) === undefined) return;
  await directory.sync(history);
  await removeIfEmpty(history);
}

function follower(record: string, versions: readonly Version[], id: string): Older | undefined {
  const path = join(historyOf(record), id);
  const last = versions.at(-1);
  if (id === NULL) {
    if (versions.some((version) => version.id === NULL && version.content.kind !== "damaged")) {
      return undefined;
    }
    const [version] = readVersions(path, "latest");
    return version && { id, order: version.order, path };
  }
  // Nobody knows what a damaged record held, so every version that is there follows it.
  const follows = last !== undefined && (last.content.kind === "damaged" || id > last.order);
  return follows ? { id, order: id, path } : undefined;
}

function namesIn(history: string): string[] {
  try {
    return readdirSync(history);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
