/**
 * From keys, which strangers choose, to files below a root. Security-critical: every path that is
 * written, renamed to or removed because of a key goes through here.
 */
import { type Stats, lstatSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";

import { toAppError } from "../failures/map.js";
import { type AppError, usageError } from "../failures/errors.js";

const WINDOWS = sep === "\\";

/**
 * The file that a key names below `root`: keys are relative paths with `/`.
 *
 * Throws UnsafeKey when the key names no file strictly inside the root, by its text (see
 * `unsafeReason`) or because there is a symbolic link on the way, or in the file's own place, that
 * leads outside or to nothing.
 */
export function safePath(root: string, key: string): string {
  const path = keyPath(root, key);
  const escape = outwardLink(root, key);
  if (escape !== undefined)
    throw unsafe(key, `${escape} is a link that does not lead to a place inside ${root}`);
  return path;
}

/**
 * The same, by the key's text alone; for reading below a root whose links the user made and means.
 */
export function keyPath(root: string, key: string): string {
  const reason = unsafeReason(key);
  if (reason !== undefined) throw unsafe(key, reason);
  // No segment needs resolving any more.
  const base = resolve(root);
  return (base.endsWith(sep) ? base : base + sep) + (WINDOWS ? key.replaceAll("/", sep) : key);
}

// Windows takes these names for devices wherever they stand, with any extension
// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i;

/** Why a key cannot be a file below a root, as a clause for a message; undefined when it can. */
export function unsafeReason(key: string, windows = WINDOWS): string | undefined {
  if (key === "") return "it is empty";
  if (key.includes("\u0000")) return "it contains NUL";
  if (/\p{Surrogate}/u.test(key)) return "it is not well-formed Unicode";
  for (const segment of key.split("/")) {
    if (segment === "") return "it has an empty segment";
    if (segment === "." || segment === "..") return `it has a segment ${segment}`;
    if (!windows) continue;
    if (/[<>:"|?*\\\u0001-\u001f]/.test(segment)) return "Windows has no such file names";
    if (/[. ]$/.test(segment)) return "Windows drops a dot or space that ends a name";
    if (DEVICE.test(segment)) return "Windows takes it for a device";
  }
  return undefined;
}

/** The first link on the key's way that leads out of the root, or to nothing. */
function outwardLink(root: string, key: string): string | undefined {
  let path = resolve(root);
  let realRoot: string | undefined;
  for (const segment of key.split("/")) {
    path = join(path, segment);
    const found = look(path);
    if (found?.isDirectory()) continue;
    if (!found?.isSymbolicLink()) return undefined; // There is nothing further on.
    realRoot ??= realpathSync(root);
    const target = realTarget(path);
    if (target === undefined || !isInside(realRoot, target)) return path;
  }
  return undefined;
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw toAppError(error); // A name that is too long, a directory that may not be entered.
  }
}

function realTarget(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // Leads nowhere, or in a circle: nothing may be made through it.
  }
}

/** Whether a resolved path is a resolved root or below it. */
function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function unsafe(key: string, reason: string): AppError {
  return usageError(
    "UnsafeKey",
    `the key ${JSON.stringify(key)} cannot be a local file: ${reason}`,
  );
}
