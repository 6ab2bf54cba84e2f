/** A lock among processes: a file that only one can create, holding its owner's process id. */
import { open, readFile, rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

import { AppError } from "../failures/errors.js";
import { isAlive } from "../../system/process-alive.js";

const PATIENCE = 10_000;
const POLL = 20;
/** A lock without an owner's id is being created just now, unless it is this old. */
const CREATION = 2_000;

/**
 * Does `work` while holding the lock. The lock of a process that is gone is taken over. Throws an
 * AppError (unavailable, ConfigLocked) when a living process holds it for ten seconds.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const giveUp = Date.now() + PATIENCE;
  while (!(await acquire(path))) {
    if (Date.now() > giveUp) throw locked(path);
    await wait(POLL);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(String(process.pid));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  if (await isAbandoned(path)) await takeOver(path);
  return false;
}

/**
 * Removes the lock of a process that is gone. One process at a time, and only after a second look:
 * otherwise the slower of two would remove the lock that the faster has made since.
 */
async function takeOver(path: string): Promise<void> {
  const right = `${path}.takeover`;
  try {
    await (await open(right, "wx", 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return;
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true });
  } finally {
    await rm(right, { force: true });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const owner = Number(await readFile(path, "utf8"));
    if (owner > 0) return !isAlive(owner);
    return Date.now() - (await stat(path)).mtimeMs > CREATION;
  } catch (error) {
    // Released in the meantime.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function locked(path: string): AppError {
  return new AppError({
    kind: "unavailable",
    code: "ConfigLocked",
    message: `another process holds ${path}`,
    hint: `when no pail is running: rm -f ${path} ${path}.takeover`,
  });
}
