/**
 * Clearing away what killed processes left. A file is taken only from an owner that is known to be
 * dead, and an intent is settled under the lock of its key, so sweeping is safe at any time and by
 * several at once.
 */
import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeferred, settleLater } from "./commit.js";
import type { Directory } from "./directory.js";
import { ifThere } from "../../system/files.js";
import { fateOf } from "../../system/owner.js";

/** Between two sweeps that an open store starts of itself, in milliseconds. */
export const SWEEP_INTERVAL = 10 * 60_000;

/** Sweeps, unless somebody did a short while ago. */
export async function sweepNowAndThen(directory: Directory): Promise<void> {
  const stamp = join(directory.root, "swept");
  const last = await ifThere(stat(stamp));
  if (last !== undefined && Math.abs(Date.now() - last.mtimeMs) < SWEEP_INTERVAL * 0.9) return;
  const now = new Date();
  if (last === undefined) await writeFile(stamp, "", { mode: 0o600 });
  else await utimes(stamp, now, now);
  await sweep(directory);
}

/** Removes the temporary files, locks and unused blobs of processes that are no more. */
export async function sweep(directory: Directory): Promise<void> {
  const at = (place: string): string => join(directory.root, place);
  const fates = new Map<string, Promise<boolean>>();
  /** Whether the process that named a temporary file after itself is dead. */
  const abandoned = (name: string): Promise<boolean> => {
    const token = name.split("-", 2).join("-");
    let fate = fates.get(token);
    if (fate === undefined) {
      fate = fateOf(join(at("owners"), token)).then((found) => found !== "alive");
      fates.set(token, fate);
    }
    return fate;
  };
  for (const name of await readdir(at("held"))) {
    await directory.locks.release(join(at("held"), name));
  }
  // Before the intents: a process that was only suspended must not find its record later.
  for (const name of await readdir(at("tmp"))) {
    if (await abandoned(name)) await rm(join(at("tmp"), name), { recursive: true, force: true });
  }
  for (const name of await readdir(at("intents"))) {
    const file = join(at("intents"), name);
    if (isDeferred(file) || (await abandoned(name))) await settleLater(directory, file);
  }
  for (const name of await readdir(at("owners"))) {
    if (await abandoned(name)) await rm(join(at("owners"), name), { force: true });
  }
}

/** Removes blobs whose last reader has let go of them. */
export async function settleDeferred(directory: Directory): Promise<void> {
  const intents = join(directory.root, "intents");
  for (const name of await readdir(intents)) {
    if (isDeferred(name)) await settleLater(directory, join(intents, name));
  }
}
