/**
 * Keeping a catalog quick to read: journals become runs, runs become fewer and larger ones, and
 * a catalog that a bucket did not have is made from its directories. Any process does it beside its
 * own work; one that is killed doing so leaves files that no state names.
 */
import { isErrno } from "../../../system/files.js";
import { opendirSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Directory } from "../directory.js";
import { objectsOf } from "../directory.js";
import { decodeName, isBranch } from "../names.js";
import { createPauses } from "../pauses.js";
import { fromArray, merge } from "./entries.js";
import { JOURNAL_LIMIT, openJournal } from "./journal.js";
import type { Run } from "./run.js";
import { openRun, writeRun } from "./run.js";
import type { State } from "./state.js";
import { catalogOf, newJournal, publish, readState, requireState, withCatalog } from "./state.js";

/** Runs of like size that become one. */
const FEW = 4;

/** All runs become one once more than one line in so many says that a key is gone. */
const GONE = 8;

/** Keys sorted at once when a catalog is made. */
const SORTED = 8 * 1024;

/** Tidies beside other work, once at a time; the next time does what could not be done now. */
export function tidyLater(directory: Directory, bucket: string): void {
  if (directory.tidying.has(bucket)) return;
  directory.tidying.add(bucket);
  tidy(directory, bucket)
    .catch(() => undefined)
    .finally(() => directory.tidying.delete(bucket));
}

/** Makes a run of the journals, and fewer runs of the runs, unless another process does. */
export async function tidy(directory: Directory, bucket: string): Promise<void> {
  await foldJournals(directory, bucket);
  await directory.locks.tryLock(mergeLock(bucket), async () => {
    while (await mergeSome(directory, bucket));
  });
}

/** Makes a run of the journals if they have at least so many bytes. */
export async function foldJournals(
  directory: Directory,
  bucket: string,
  least = JOURNAL_LIMIT,
): Promise<void> {
  await withCatalog(directory, bucket, async () => {
    const state = readState(directory, bucket);
    if (state === undefined) return;
    const path = catalogOf(directory, bucket);
    const full = state.journals.map((name) => join(path, name));
    // There are several when a process was cut off below.
    if (full.length === 1 && statSync(full[0]!).size < least) return;
    // From here on names go to another journal. These ones can grow only by the names of
    // writers that will see this and write them again.
    const journal = await newJournal(directory, bucket);
    await publish(directory, bucket, { ...state, journals: [...state.journals, journal] });
    const newestFirst = full.toReversed().map((file) => openJournal(directory.journals, file));
    const run = await writeRun(path, merge(newestFirst), false);
    const runs = run === undefined ? state.runs : [run, ...state.runs];
    await publish(directory, bucket, { ...state, runs, journals: [journal] });
    await removeAll(path, state.journals);
  });
}

/** Makes one run of several, if there are enough to make it worthwhile. */
async function mergeSome(directory: Directory, bucket: string): Promise<boolean> {
  const state = readState(directory, bucket);
  // Until it is complete, the oldest run of all is yet to come.
  const count = state?.complete === true ? worthMerging(state.runs) : 0;
  if (state === undefined || count === 0) return false;
  const chosen = state.runs.slice(0, count);
  const dropGone = count === state.runs.length;
  const merged = await mergeRuns(catalogOf(directory, bucket), chosen, dropGone);
  await withCatalog(directory, bucket, async () => {
    const now = readState(directory, bucket);
    if (now?.id !== state.id) return removeAll(catalogOf(directory, bucket), nameOfEach(merged));
    const names = new Set(nameOfEach(chosen));
    const at = now.runs.findIndex(({ name }) => names.has(name));
    const runs = [...now.runs.slice(0, at), ...merged, ...now.runs.slice(at + count)];
    const changed = { ...now, runs };
    await publish(directory, bucket, changed);
    await removeLeftOver(catalogOf(directory, bucket), changed);
  });
  return true;
}

/** How many of the runs, from the newest on, are to become one. */
export function worthMerging(runs: readonly Pick<Run, "size" | "lines" | "gone">[]): number {
  const sum = (what: "size" | "lines" | "gone", count: number): number =>
    runs.slice(0, count).reduce((total, run) => total + run[what], 0);
  if (sum("gone", runs.length) * GONE > sum("lines", runs.length)) return runs.length;
  for (let count = runs.length; count >= FEW; count -= 1) {
    if (runs[count - 1]!.size <= sum("size", count - 1) / 2) return count;
  }
  return 0;
}

/** Makes the catalog have every key that was there before it. */
export async function complete(directory: Directory, bucket: string): Promise<void> {
  await directory.locks.withLock(mergeLock(bucket), async () => {
    const before = await requireState(directory, bucket);
    if (before.complete) return;
    const path = catalogOf(directory, bucket);
    let runs: readonly Run[] = [];
    for await (const keys of keysUnder(objectsOf(directory, bucket))) {
      const entries = keys.sort().map((key) => ({ key, there: true }));
      const run = await writeRun(path, fromArray(entries), false);
      runs = run === undefined ? runs : [run, ...runs];
      for (let count = worthMerging(runs); count > 0; count = worthMerging(runs)) {
        runs = [...(await mergeRuns(path, runs.slice(0, count), false)), ...runs.slice(count)];
      }
    }
    await withCatalog(directory, bucket, async () => {
      const now = readState(directory, bucket);
      if (now?.id !== before.id) return;
      const changed = { ...now, complete: true, runs: [...now.runs, ...runs] };
      await publish(directory, bucket, changed);
      await removeLeftOver(path, changed);
    });
  });
}

async function mergeRuns(path: string, runs: readonly Run[], dropGone: boolean): Promise<Run[]> {
  const source = merge(runs.map(({ name }) => openRun(join(path, name))));
  try {
    const run = await writeRun(path, source, dropGone);
    return run === undefined ? [] : [run];
  } finally {
    source.close();
  }
}

/** All keys below a directory of records, some at a time, in no order. */
async function* keysUnder(objects: string): AsyncGenerator<string[]> {
  const pause = createPauses();
  let keys: string[] = [];
  for (const key of walk(objects, "")) {
    if (key !== undefined) keys.push(key);
    if (keys.length >= SORTED) {
      yield keys;
      keys = [];
    }
    await pause();
  }
  yield keys;
}

/** Undefined between keys, for a pause. */
function* walk(path: string, base: string): Generator<string | undefined> {
  let entries;
  try {
    // A small directory is read with one call, a large one with many.
    entries = opendirSync(path, { bufferSize: 1024 });
  } catch (error) {
    // Pruned since it was seen.
    if (isErrno(error, "ENOENT", "ENOTDIR")) return;
    throw error;
  }
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      const bytes = decodeName(entry.name);
      if (bytes === undefined) yield undefined;
      else if (isBranch(bytes)) yield* walk(join(path, entry.name), base + bytes);
      else yield base + bytes;
    }
  } finally {
    entries.closeSync();
  }
}

/** Removes what a state does not name; the caller holds the catalog and the merging of it. */
async function removeLeftOver(path: string, state: State): Promise<void> {
  const named = new Set(["state.json", ...state.journals, ...nameOfEach(state.runs)]);
  await removeAll(
    path,
    (await readdir(path)).filter((name) => !named.has(name)),
  );
}

async function removeAll(path: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(path, name), { force: true });
}

function nameOfEach(runs: readonly Run[]): string[] {
  return runs.map(({ name }) => name);
}

function mergeLock(bucket: string): string {
  return `\0names merged\0${bucket}`;
}
