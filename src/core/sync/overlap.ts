/** Whether the places of a sync are apart: what is written must not be found by what is read. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

import { usageError } from "../failures/errors.js";
import { nameOf } from "../ref.js";
import { sameBucket } from "../operations/identity.js";
import { refAt, type Side } from "./sides.js";
import type { SyncRequest } from "./state.js";

/** Whether a place is another, or lies in it, whatever its alias is called. */
export async function isInside(inner: Side, outer: Side, signal: AbortSignal): Promise<boolean> {
  if (inner.type === "path" && outer.type === "path") {
    const [path, root] = [realPath(inner.path), realPath(outer.path)];
    return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
  }
  if (inner.type === "path" || outer.type === "path") return false;
  if (!inner.key.startsWith(outer.key)) return false;
  const identity = await sameBucket(inner.storage, outer.storage, signal);
  if (identity !== "unknown") return identity === "same";
  // The service may not be asked. A sync of a place onto itself changes nothing; of nested ones it
  // may.
  return inner.storage.bucket === outer.storage.bucket && inner.key !== outer.key;
}

/** The path without links, as far as it is there. */
function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    const parent = dirname(whole);
    return parent === whole ? whole : join(realPath(parent), basename(whole));
  }
}

/** Throws a usage error unless the places of a sync are apart. */
export async function requireApart(
  { source, target, backup, own = [], choice }: SyncRequest,
  signal: AbortSignal,
): Promise<void> {
  const name = (side: Side) => nameOf(refAt(side, { name: "" }));
  if (source.type === "path" && target.type === "path") {
    throw usageError(
      "LocalCopy",
      "neither the source nor the target is in a bucket",
      "to make one directory like another, use rsync; a place in a bucket is alias/bucket",
    );
  }
  const inside = (inner: Side, outer: Side) => isInside(inner, outer, signal);
  if ((await inside(source, target)) || (await inside(target, source))) {
    throw usageError("CopyIntoItself", `${name(source)} and ${name(target)} are not apart`);
  }
  for (const side of backup === undefined ? [] : [source, target]) {
    if (!(await inside(backup!, side))) continue;
    throw usageError(
      "BackupInside",
      `the backup ${name(backup!)} lies inside ${name(side)}`,
      "choose a place beside both: what is kept there would be taken for a part of it",
    );
  }
  for (const side of choice.remove ? own : []) {
    if (!(await inside(side, target))) continue;
    throw usageError(
      "InsideTarget",
      `${name(side)} lies inside ${name(target)}, where everything that the source lacks is removed`,
      "choose a place beside it",
    );
  }
}
