/** Changes below a directory, told as they happen. */
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { basename, join, resolve } from "node:path";

import { codeOf } from "../failures/local.js";
import { type Filter, prunes } from "../filter.js";

export interface Changes {
  /** Whether all that changes is told; otherwise somebody has to look. */
  isComplete(): boolean;
  /** Whether the directory itself was moved, removed or made anew: then it must be watched anew. */
  isStale(): boolean;
  close(): void;
}

/**
 * Calls back at every change below a directory, through links too, except in directories of which
 * the filter takes nothing. A watcher is of a directory, not of a file, as systems allow only so
 * many.
 */
export function watchTree(root: string, filter: Filter | undefined, told: () => void): Changes {
  /** By key; of the root the empty one. */
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  const own = basename(resolve(root));
  let complete = true;
  let stale = false;

  const drop = (key: string) => {
    if (!watchers.has(key)) return;
    for (const [other, { watcher }] of watchers) {
      if (!other.startsWith(key)) continue;
      watcher.close();
      watchers.delete(other);
    }
  };
  const add = (key: string) => {
    try {
      const directory = join(root, key);
      const { dev, ino } = statSync(directory, { bigint: true });
      const identity = `${dev}:${ino}`;
      // A link may lead to a directory that it is inside of: the walk of a sync does not follow it.
      for (let end = 0; end < key.length; end = key.indexOf("/", end) + 1) {
        if (watchers.get(key.slice(0, end))?.identity === identity) return;
      }
      const watcher = watch(directory, { persistent: false }, (type, name) => {
        told();
        if (type !== "rename" || name === null) return;
        // A directory tells of its own end by its own name.
        if (key === "" && name === own) stale = true;
        // Something was made, moved or removed: what is there now is another thing.
        drop(`${key}${name}/`);
        enter(`${key}${name}/`);
      });
      watcher.on("error", () => {
        complete = false;
        drop(key);
        told();
      });
      watchers.set(key, { watcher, identity });
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        if (entry.isDirectory() || entry.isSymbolicLink()) enter(`${key}${entry.name}/`);
      }
    } catch (error) {
      // A thing that vanished meanwhile was reported by the directory it was in.
      if (codeOf(error) !== "ENOENT") complete = false;
    }
  };
  const enter = (key: string) => {
    if (!prunes(filter, key) && isDirectory(join(root, key))) add(key);
  };
  add("");
  return {
    isComplete: () => complete && watchers.size > 0,
    isStale: () => stale,
    close: () => {
      drop("");
    },
  };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // A link in a circle, or a directory that may not be entered: the sync says so.
  }
}
