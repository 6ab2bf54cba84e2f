/** Keeping what a sync replaces or removes: copied to a place of its own before it goes. */
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";

import type { TransferItem } from "../engine/events.js";
import type { Run } from "../engine/run.js";
import { drifted } from "../failures/errors.js";
import { localError } from "../failures/local.js";
import { fileState } from "../local/attributes.js";
import { resolveTarget } from "../local/target.js";
import { safePath } from "../local/safe-path.js";
import { joinKey } from "../operations/names.js";
import { targetWork } from "../operations/targets.js";
import type { CopyRequest } from "../operations/types.js";
import type { Listed } from "./pairs.js";
import { refAt, type Side, sourceAt } from "./sides.js";

/** Resolves once what was seen of a name at the target is safe; throws Drifted for any other state. */
export type Keep = (item: TransferItem, listed: Listed) => Promise<void>;

/**
 * The place where a run keeps things: below the backup, by the time of the run, so that nothing
 * collides.
 */
export function backupOf(backup: Side, at: Date): Side {
  const stamp = at.toISOString().replaceAll(/[-:.]/g, "");
  if (backup.type === "path") return { type: "path", path: join(backup.path, stamp) };
  return { ...backup, key: `${joinKey(backup.key, stamp)}/` };
}

/** Makes the keeper of a run. */
export function keeper(
  run: Run,
  target: Side,
  place: Side,
  request: Omit<CopyRequest, "sources" | "target">,
): Keep {
  if (target.type === "path" && place.type === "path") {
    return async (_item, { name, etag }) => {
      copyAside(safePath(target.path, name), join(place.path, name), etag);
    };
  }
  const work = targetWork(run, { ...request, sources: [], target: place }, true);
  return async (item, listed) => {
    const source = sourceAt(target, listed);
    const kept = { ...item, source: source.ref, target: refAt(place, { name: listed.name }) };
    await work.copy(kept, source, undefined, "unlisted");
    if (target.type === "path") requireFile(safePath(target.path, listed.name), listed.etag);
  };
}

function copyAside(from: string, to: string, state: string | undefined): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    // If it was written to meanwhile, it is not what is to be kept.
    requireFile(from, state);
    const { atimeMs, mtimeMs } = statSync(from);
    utimesSync(to, atimeMs / 1000, mtimeMs / 1000);
  } catch (error) {
    throw localError(error, "keep", from);
  }
}

function requireFile(path: string, state: string | undefined): void {
  const { there } = resolveTarget(path, undefined);
  if (there === undefined || fileState(there) !== state) throw drifted(path);
}

/**
 * Removes a file of a directory while it is in the state that was seen, and the directories that are
 * empty then. A link goes, not what it leads to.
 */
export function removeFile(root: string, { name, etag }: Pick<Listed, "name" | "etag">): void {
  const path = safePath(root, name);
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    requireFile(path, etag);
    unlinkSync(path);
  } catch (error) {
    throw localError(error, "remove", path);
  }
  for (let parts = name.split("/").slice(0, -1); parts.length > 0; parts = parts.slice(0, -1)) {
    try {
      rmdirSync(join(root, ...parts));
    } catch {
      return; // Something is left in it.
    }
  }
}
