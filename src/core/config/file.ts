/** The config file on disk: read leniently about its absence, strictly about its content. */
import { statSync } from "node:fs";
import { mkdir, readFile, realpath, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { replaceFile } from "../../system/files.js";
import { createLocks } from "../../system/locks.js";
import { markAlone } from "../../system/owner.js";
import { PID, WINDOWS } from "../../system/process.js";
import { unavailableError } from "../failures/errors.js";
import { toAppError } from "../failures/map.js";
import { shellWord } from "../failures/shell-word.js";
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

/** The command that takes the config from others who may read it, or replace it; undefined for none. */
export function exposureOf(path: string): string | undefined {
  if (WINDOWS) return undefined;
  const modeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.mode ?? 0;
  if ((modeOf(path) & 0o077) !== 0) return `chmod 600 ${shellWord(path)}`;
  const directory = dirname(path);
  return (modeOf(directory) & 0o022) === 0 ? undefined : `chmod 700 ${shellWord(directory)}`;
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
    await locks.withLock(`${file}.lock`, async () => {
      const changed = checkConfig(edit(await readConfig(file)), file);
      const temporary = `${file}.${PID}.tmp`;
      await rm(temporary, { force: true });
      await replaceFile(file, `${JSON.stringify(changed, null, 2)}\n`, temporary);
    });
  } catch (error) {
    throw toAppError(error, `writing the config file ${path}`);
  }
}

/** The place a link leads to: a person who keeps the file elsewhere wants it changed there. */
async function followLink(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}

const locks = createLocks({
  fileOf: (path) => path,
  mark: markAlone,
  silence: 10_000,
  failure: (_why, path) =>
    unavailableError(
      "ConfigLocked",
      `another process holds ${path}`,
      `when no pail is running: rm -f ${shellWord(path)} ${shellWord(`${path}x`)}`,
    ),
});
