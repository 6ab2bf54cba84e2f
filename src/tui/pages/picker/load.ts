/** The local side of the upload picker. */
import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import type { Handler } from "../../controller/deps.js";
import type { LocalEntry } from "./state.js";

/** Reads a directory: its parent first, then directories, then files, each by name. */
export const readDirectory: Handler<"read-directory"> = async (
  { dispatch },
  { page, directory },
  signal,
) => {
  const path = resolve(directory);
  const names = await readdir(path);
  const entries = (await Promise.all(names.map((name) => look(join(path, name), name)))).filter(
    (entry) => entry !== undefined,
  );
  entries.sort((a, b) => Number(b.directory) - Number(a.directory) || compare(a.name, b.name));
  const parent = dirname(path);
  const up: LocalEntry[] =
    parent === path
      ? []
      : [{ name: "..", path: parent, directory: true, size: 0, modified: undefined }];
  if (!signal.aborted) {
    dispatch({ type: "directory", page, directory: path, entries: [...up, ...entries] });
  }
};

/** An entry of a directory; undefined for one that cannot be uploaded, or is gone by now. */
async function look(path: string, name: string): Promise<LocalEntry | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() && !found.isDirectory()) return undefined;
    const directory = found.isDirectory();
    return { name, path, directory, size: found.size, modified: found.mtimeMs };
  } catch {
    return undefined;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
