/**
 * The users of a directory that several processes share. Every process that writes keeps one small
 * file in a directory of owners; its locks are hard links to it and its temporary files carry its
 * token, so that another process can tell what a dead one left from what a live one is using.
 */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { open, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { link } from "./calls.js";
import { ifThere, isErrno } from "./files.js";
import { PID, type ProcessIdentity, fateOfProcess, ownIdentity } from "./process.js";

/** `taken` when there is such a file; `nowhere` when its directory is gone. */
export type Mark = (path: string) => Promise<"made" | "taken" | "nowhere">;

/** This process's registration in one directory. */
export interface Owner {
  readonly token: string;
  /** Makes the process known, before it leaves anything that another could take for abandoned. */
  register(): Promise<void>;
  /** Makes a link to the owner file, which says that this process uses what the link stands for. */
  readonly mark: Mark;
}

const HEARTBEAT = 60_000;
/** How long after its last heartbeat an owner we cannot look up is taken for dead. */
const SILENCE = 10 * HEARTBEAT;

/** The owner files of this process, one a store. */
const files = new Set<string>();

/**
 * A new owner, registered on first use; its file goes when the process ends in good order. `about`
 * is what else the file says.
 */
export function createOwner(directory: string, about: object): Owner {
  const token = `${PID}-${randomBytes(8).toString("hex")}`;
  const file = join(directory, token);
  let registered: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    try {
      await writeFile(file, JSON.stringify({ ...about, ...ownIdentity() }), { mode: 0o600 });
    } catch (error) {
      // On a full disk the file is there and empty, which will do: its heartbeat speaks for it.
      if (!isErrno(error, "ENOSPC", "EDQUOT")) throw error;
    }
    if (files.size === 0) process.once("exit", removeAll);
    files.add(file);
  };
  const beat = async (): Promise<void> => {
    const now = new Date();
    // A process that could not look us up, and heard nothing for too long, may have removed it.
    if ((await ifThere(utimes(file, now, now).then(() => true))) === undefined) await write();
  };
  const register = (): Promise<void> => {
    registered ??= write().then(
      () => {
        const timer = setInterval(() => {
          // Without a store there is nothing to keep alive in.
          beat().catch(() => clearInterval(timer));
        }, HEARTBEAT);
        timer.unref();
      },
      (error: unknown) => {
        registered = undefined;
        throw error;
      },
    );
    return registered;
  };
  const mark: Mark = async (path) => {
    await register();
    for (let again = false; ; again = true) {
      try {
        await link(file, path);
        return "made";
      } catch (error) {
        if (isErrno(error, "EEXIST")) return "taken";
        if (!isErrno(error, "ENOENT")) throw error;
        if (again) return "nowhere";
        await beat();
      }
    }
  };
  return { token, register, mark };
}

function removeAll(): void {
  for (const file of files) rmSync(file, { force: true });
}

/**
 * A mark without an owner file, for what is held for a moment, and on any file system: it says
 * itself whose it is.
 */
export const markAlone: Mark = async (path) => {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(ownIdentity()));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return "made";
  } catch (error) {
    if (isErrno(error, "EEXIST")) return "taken";
    if (isErrno(error, "ENOENT")) return "nowhere";
    throw error;
  }
};

/**
 * The fate of the process that an owner file, or a lock linked to one, speaks for. `gone`
 * when there is no such file, which says nothing about a file that is made a moment later.
 */
export async function fateOf(file: string, silence = SILENCE): Promise<"alive" | "dead" | "gone"> {
  const text = await ifThere(readFile(file, "utf8"));
  const seen = await ifThere(stat(file));
  if (text === undefined || seen === undefined) return "gone";
  const owner = parse(text);
  const fate = owner === undefined ? "unknown" : fateOfProcess(owner);
  if (fate !== "unknown") return fate;
  // Half-written by a process that has just begun or was cut off, or not written by pail.
  return Date.now() - seen.mtimeMs < silence ? "alive" : "dead";
}

function parse(text: string): ProcessIdentity | undefined {
  try {
    return (JSON.parse(text) ?? undefined) as ProcessIdentity | undefined;
  } catch {
    return undefined;
  }
}
