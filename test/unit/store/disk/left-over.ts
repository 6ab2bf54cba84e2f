import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/**
 * All entries of a store directory, but for the directories that `blobs/` keeps for later and the
 * catalogs of buckets, as pairs of path and kind. With `all`, those too.
 */
export async function filesUnder(
  directory: string,
  all = false,
): Promise<[path: string, kind: "file" | "directory"][]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .map((entry): [string, "file" | "directory"] => [
      relative(directory, join(entry.parentPath, entry.name)),
      entry.isDirectory() ? "directory" : "file",
    ])
    .filter(([path]) => all || !/^blobs.[0-9a-f]{2}$|\+.names\b/.test(path))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
