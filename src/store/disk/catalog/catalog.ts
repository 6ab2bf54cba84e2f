/**
 * The catalog of a bucket: the names of its keys in order, so that a page of a listing costs the
 * page and not the bucket. The records remain the only truth: the catalog says where to look.
 *
 * It cannot lie, for this reason: a name is in the journal, durably, before its record is put in
 * place (`addName`), and is taken out only after its record is gone (`removeName`), both while the
 * key is held. So the catalog never lacks a key that exists. If it names a key that does not exist,
 * a listing notices that when it reads the record. Journals and runs are replaced by others only
 * when those are durable, and a writer whose journal was replaced meanwhile writes its name again.
 */
import { isErrno } from "../../../system/files.js";
import { join } from "node:path";
import type { Directory, KeyRef } from "../directory.js";
import { toBytes } from "../names.js";
import type { Source } from "./entries.js";
import { merge } from "./entries.js";
import { JOURNAL_LIMIT, append, openJournal } from "./journal.js";
import { openRun } from "./run.js";
import { catalogOf, current, readState, renew, requireState } from "./state.js";
import { complete, foldJournals, tidyLater } from "./upkeep.js";

/** A journal of this many bytes becomes a run before more is added: reading it costs a page. */
const JOURNAL_MAXIMUM = 16 * JOURNAL_LIMIT;

/**
 * Says, durably, that a key may be there; the caller holds it and puts its record in place after.
 * `known` says that it has a record already. Returns the catalog's id, for `stillNamed`.
 */
export async function addName(
  directory: Directory,
  { bucket, key }: KeyRef,
  known: boolean,
): Promise<string> {
  for (;;) {
    const state = await requireState(directory, bucket);
    // A directory that is being read may not show a name whose file is replaced meanwhile.
    if (known && state.complete) return state.id;
    const path = catalogOf(directory, bucket);
    const journal = join(path, current(state));
    const size = append(journal, { key: toBytes(key), there: true });
    if (size === undefined) {
      await renew(directory, bucket, state);
      continue;
    }
    if (!directory.known.has(journal)) {
      // The process that published it may not have synced it yet.
      await directory.sync(path);
      directory.know(journal);
    }
    await directory.syncData(journal);
    if (size > JOURNAL_MAXIMUM) await foldJournals(directory, bucket);
    if (size > JOURNAL_LIMIT) tidyLater(directory, bucket);
    const now = readState(directory, bucket);
    if (now !== undefined && current(now) === current(state)) return state.id;
  }
}

/** Whether the bucket's catalog is still the one a name was added to: else it was made anew. */
export function stillNamed(directory: Directory, bucket: string, id: string): boolean {
  return readState(directory, bucket)?.id === id;
}

/**
 * Says that a key has no record any more; the caller holds it. Should that be lost, or not get
 * written, the name leads to no record, and no harm is done.
 */
export function removeName(directory: Directory, { bucket, key }: KeyRef): void {
  const state = readState(directory, bucket);
  if (state === undefined) return;
  try {
    const journal = join(catalogOf(directory, bucket), current(state));
    const size = append(journal, { key: toBytes(key), there: false });
    if (size !== undefined && size > JOURNAL_LIMIT) tidyLater(directory, bucket);
  } catch (error) {
    if (!isErrno(error, "ENOSPC", "EDQUOT")) throw error;
  }
}

/** The bucket's names as they are now, with those that are gone; to be closed. */
export async function openNames(directory: Directory, bucket: string): Promise<Source> {
  for (;;) {
    const state = await requireState(directory, bucket);
    if (!state.complete) {
      await complete(directory, bucket);
      continue;
    }
    const path = catalogOf(directory, bucket);
    const opened: Source[] = [];
    try {
      for (const name of state.journals.toReversed()) {
        opened.push(openJournal(directory.journals, join(path, name)));
      }
      for (const { name } of state.runs) opened.push(openRun(join(path, name)));
      return merge(opened);
    } catch (error) {
      for (const source of opened) source.close();
      // The files were replaced by others, which the current state names, or they are lost.
      if (!isErrno(error, "ENOENT")) throw error;
      await renew(directory, bucket, state);
    }
  }
}
