/**
 * The targets of a job: exactly the rows chosen when it was asked for, whatever becomes of the
 * list. Many marked rows stay where they are: a store and its marks are values, so that they can be
 * kept without a copy and read when their turn comes.
 */
import { setImmediate } from "node:timers/promises";

import type { Entry } from "../../core/storage/storage.js";
import { type Marks, NO_MARKS, isMarked, markedIds, setMarks } from "../list/marks.js";
import { type EntryStore, append, emptyStore, entryAt, find, versionsIn } from "../list/store.js";
import type { JobTarget, Targets } from "./job-types.js";

/** Up to this many are taken out of their listing, which need then not be kept for them. */
const FEW = 1000;

interface Listed extends Targets {
  readonly store: EntryStore;
  readonly marks: Marks;
}

/** The marked entries, in the order they were listed. */
export function markedTargets(store: EntryStore, marks: Marks): Targets {
  const listed: Listed = {
    length: marks.count,
    store,
    marks,
    *[Symbol.iterator]() {
      for (const id of markedIds(marks)) yield targetOf(entryAt(store, id));
    },
  };
  return marks.count > FEW ? listed : [...listed];
}

/** A listed entry as the target of a job. */
export function targetOf(entry: Entry): JobTarget {
  if (entry.type === "prefix") return { type: "prefix", key: entry.key };
  const { key, size, versionId, isLatest, isDeleteMarker } = entry;
  // The latest version is meant by its key alone; any other is meant by itself.
  const past = isLatest === false || isDeleteMarker;
  return { type: "object", key, size, ...(past ? { versionId } : {}) };
}

function isListed(targets: Targets): targets is Listed {
  return "store" in targets;
}

/** The first of them. */
export function firstOf(targets: Targets, count: number): readonly JobTarget[] {
  const first: JobTarget[] = [];
  for (const target of targets) {
    if (first.length === count) break;
    first.push(target);
  }
  return first;
}

/** Targets of a file, kept as those of a listing are when they are many. */
export function keptTargets(targets: readonly JobTarget[]): Targets {
  if (targets.length <= FEW) return targets;
  let store = emptyStore("");
  for (let from = 0; from < targets.length; from += FEW) {
    const page = targets.slice(from, from + FEW);
    store = append(store, page.map(entryOf));
  }
  const all = Uint32Array.from(targets, (_, id) => id);
  return markedTargets(store, setMarks(store, NO_MARKS, all, true));
}

function entryOf({ type, key, size = 0, versionId }: JobTarget): Entry {
  if (type === "prefix") return { type, key };
  return { type, key, size, ...(versionId === undefined ? {} : { versionId, isLatest: false }) };
}

/** Those with one of these keys: objects, some of their versions, or prefixes. */
export function withKeys(targets: Targets, keys: Iterable<string>): readonly JobTarget[] {
  const wanted = new Set(keys);
  if (!isListed(targets)) return [...targets].filter(({ key }) => wanted.has(key));
  const { store, marks } = targets;
  const ids = find(store, wanted).filter((id) => isMarked(marks, id));
  return ids.map((id) => targetOf(entryAt(store, id)));
}

/** Whether an older version or a delete marker is among them. */
export function hasVersion(targets: Targets): boolean {
  if (isListed(targets) && !versionsIn(targets.store)) return false;
  for (const { versionId } of targets) if (versionId !== undefined) return true;
  return false;
}

/** Objects and bytes of those that are few; what is more is added up while a question stands. */
export function sumOf(targets: Targets): { readonly objects: number; readonly bytes: number } {
  const few = isListed(targets) ? [] : [...targets];
  const objects = few.filter(({ type }) => type === "object");
  return { objects: objects.length, bytes: objects.reduce((sum, { size = 0 }) => sum + size, 0) };
}

/** Targets that are read between two turns of the event loop. */
const TURN = 2000;

/** All of them, or those of a type; keys have their turn between them. */
export async function* inTurns(
  targets: Targets,
  wanted?: JobTarget["type"],
): AsyncGenerator<JobTarget> {
  let read = 0;
  for (const target of targets) {
    if (++read % TURN === 0) await setImmediate();
    if (wanted === undefined || target.type === wanted) yield target;
  }
}
