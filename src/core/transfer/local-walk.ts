/** What a recursive copy finds in a directory, page by page, links followed. */
import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";

import { AppError } from "../errors.js";
import { localError } from "./local-error.js";
import { requireRegularFile } from "./local-source.js";

/** A file below a directory, or what kept something there from being one. */
export type Found =
  | { readonly path: string; readonly name: string; readonly size: number }
  | { readonly path: string; readonly name: string; readonly error: AppError };

const PAGE = 256;

/**
 * Files below `root`, each with its name relative to it (`/` between segments) behind `prefix`.
 * Symbolic links are followed; one that leads back to a directory it is in is an error of its own.
 * Directory entries are looked at synchronously, a page at a time: on a local disk that is many
 * times cheaper than one trip to the thread pool each.
 */
export async function* walk(root: string, prefix: string): AsyncGenerator<Found[]> {
  let page: Found[] = [];
  for (const found of walkDirectory(root, prefix, [])) {
    page.push(found);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
    await breathe();
  }
  if (page.length > 0) yield page;
}

function* walkDirectory(
  directory: string,
  prefix: string,
  above: readonly string[],
): Generator<Found> {
  let names: string[];
  let real: string;
  try {
    real = realpathSync(directory);
    names = readdirSync(directory).sort();
  } catch (error) {
    yield { path: directory, name: prefix, error: localError(error, "read", directory) };
    return;
  }
  if (above.includes(real)) {
    yield { path: directory, name: prefix, error: loop(directory) };
    return;
  }
  const inside = [...above, real];
  for (const name of names) {
    const path = join(directory, name);
    const found = look(path, prefix + name);
    if (found === "directory") yield* walkDirectory(path, `${prefix}${name}/`, inside);
    else yield found;
  }
}

function look(path: string, name: string): Found | "directory" {
  try {
    if (name.includes("\uFFFD")) throw notUnicode(path);
    const stats: Stats = statSync(path);
    if (stats.isDirectory()) return "directory";
    requireRegularFile(stats, path);
    return { path, name, size: stats.size };
  } catch (error) {
    return { path, name, error: localError(error, "read", path) };
  }
}

function loop(path: string): AppError {
  return new AppError({
    kind: "usage",
    code: "ELOOP",
    message: `${path} is a symbolic link to a directory it is in`,
  });
}

/** Keys are UTF-8: a name that is not would come back as another one. */
function notUnicode(path: string): AppError {
  return new AppError({
    kind: "usage",
    code: "InvalidName",
    message: `${path} has a name that is not UTF-8`,
  });
}
