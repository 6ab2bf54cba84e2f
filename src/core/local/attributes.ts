/** The attributes of a file that are kept beside the object, and given back to a download. */
import {
  type BigIntStats,
  type Stats,
  fchmodSync,
  fchownSync,
  futimesSync,
  statSync,
} from "node:fs";

import { isSuperuser } from "../../system/process.js";
import type { ObjectInfo } from "../storage/storage.js";
import { formatMtime, MTIME, parseMtime } from "./times.js";

/**
 * Changes whenever the file is replaced or written to, as far as the file system's clock tells: the
 * ETag of a file, so to say.
 */
export function fileState(stats: Stats | BigIntStats): string {
  // Both kinds of stats give one text: whole milliseconds alone would miss quick changes.
  const modified = isExact(stats) ? milliseconds(stats.mtimeNs) : stats.mtimeMs;
  const changed = isExact(stats) ? milliseconds(stats.ctimeNs) : stats.ctimeMs;
  return `${Number(stats.ino)}-${Number(stats.size)}-${modified}-${changed}`;
}

/** The state of the file at a path; undefined when nothing is there. */
export function stateOf(path: string): string | undefined {
  const there = statSync(path, { throwIfNoEntry: false });
  return there && fileState(there);
}

function isExact(stats: Stats | BigIntStats): stats is BigIntStats {
  return typeof stats.size === "bigint";
}

/** Rounded as Node rounds the times of plain stats. */
function milliseconds(nanoseconds: bigint): number {
  const second = 1_000_000_000n;
  return Number(nanoseconds / second) * 1e3 + Number(nanoseconds % second) / 1e6;
}

export interface Preserve {
  /** The modification time. */
  readonly time: boolean;
  /** Mode and, for a superuser's download, owner and group. */
  readonly owner: boolean;
}

/** Without a wish, files keep their times and nothing else. */
export const PRESERVE_TIME: Preserve = { time: true, owner: false };

/** The metadata entries that keep a file's attributes, spelled as rclone spells them. */
export function attributeMetadata(
  { mtimeNs, mode, uid, gid }: Pick<BigIntStats, "mtimeNs" | "mode" | "uid" | "gid">,
  preserve: Preserve,
): Record<string, string> {
  const metadata: Record<string, string> = {};
  if (preserve.time) metadata[MTIME] = formatMtime(mtimeNs);
  if (!preserve.owner) return metadata;
  metadata["mode"] = `0${mode.toString(8)}`;
  metadata["uid"] = String(uid);
  metadata["gid"] = String(gid);
  return metadata;
}

/** Times that file systems can hold, 1902 to 2445 (ext4); a stranger's metadata may say anything. */
const EARLIEST = -2_145_916_800_000;
const LATEST = 14_989_924_800_000;

/** The modification time that was stored with an object, in milliseconds. */
export function storedTime({ metadata }: ObjectInfo): number | undefined {
  const mtime = parseMtime(metadata?.[MTIME]);
  return mtime !== undefined && mtime > EARLIEST && mtime < LATEST ? mtime : undefined;
}

/** The time a download gets, in milliseconds: the one that was stored, else that of the upload. */
export function modifiedAt(info: ObjectInfo): number | undefined {
  return storedTime(info) ?? info.lastModified;
}

/**
 * Gives an open file the attributes of the object it was made from. Only the nine permission bits
 * are taken from a mode, for the metadata is a stranger's; owner and group only by a superuser.
 */
export function applyAttributes(descriptor: number, info: ObjectInfo, preserve: Preserve): void {
  if (preserve.owner) {
    const number = (name: string, base: number) => {
      const text = info.metadata?.[name] ?? "";
      return /^\d{1,10}$/.test(text) ? Number.parseInt(text, base) : undefined;
    };
    const [mode, uid, gid] = [number("mode", 8), number("uid", 10), number("gid", 10)];
    if (uid !== undefined && gid !== undefined && isSuperuser()) {
      fchownSync(descriptor, uid, gid);
    }
    if (mode !== undefined && !Number.isNaN(mode)) fchmodSync(descriptor, mode & 0o777);
  }
  const modified = preserve.time ? modifiedAt(info) : undefined;
  if (modified !== undefined) futimesSync(descriptor, Date.now() / 1000, modified / 1000);
}
