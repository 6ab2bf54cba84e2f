/** The config file on disk: read leniently about its absence, strictly about its content. */
import { mkdir, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { toAppError } from "../failures/map.js";
import { withLock } from "./lock.js";
import { EMPTY_CONFIG, checkConfig, corrupt } from "./shape.js";
import type { ConfigFile } from "./types.js";

/**
 * Reads the config; a file that is not there is an empty config. Throws an AppError: usage
 * (ConfigCorrupt) for a file that cannot be understood.
 */
export async function readConfig(path: string): Promise<ConfigFile> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return EMPTY_CONFIG;
    throw toAppError(error, `reading the config file ${path}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message would quote the text, and with it perhaps a secret.
    throw corrupt(path, "it is not JSON");
  }
  return checkConfig(value, path);
}

/**
 * Changes the config: reads it anew under a lock, so that of two processes neither's change is
 * lost, and replaces it in one step. The file is readable by its owner only, whatever it was
 * before. Throws as `readConfig`, and then leaves the file as it is.
 */
export async function updateConfig(
  path: string,
  edit: (config: ConfigFile) => ConfigFile,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await followLink(path);
    await withLock(`${file}.lock`, async () => {
      const changed = checkConfig(edit(await readConfig(file)), file);
      await replaceFile(file, `${JSON.stringify(changed, null, 2)}\n`);
    });
  } catch (error) {
    throw toAppError(error, `writing the config file ${path}`);
  }
}

/** Where a link leads: somebody who keeps the file elsewhere wants it changed there. */
async function followLink(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}

/** Writes beside the file, syncs, and renames over it: a reader sees the old or the new. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
