/**
 * Who is using the store. Every process that writes keeps one small file under `owners/`; its
 * locks are hard links to it and its temporary files carry its token, so that another process can
 * tell what a dead one left from what a live one is using.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync, rmSync } from "node:fs";
import { link, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { StoreError } from "../errors.js";
import { isErrno } from "./failures.js";
import { ifThere } from "./files.js";

interface OwnerFile {
  /** Of the store, as this process knows it; not there before format 2. */
  readonly format: number;
  readonly pid: number;
  /** Tells a process from an earlier one of the same number; empty where the system won't say. */
  readonly start: string;
  /** Within which process numbers mean the same: the host, and the container on it. */
  readonly place: string;
}

/** This process's registration in one store. */
export interface Owner {
  readonly token: string;
  /** Makes the process known, before it leaves anything that another could take for abandoned. */
  register(): Promise<void>;
  /**
   * Makes a link to the owner file, which says that this process uses what the link stands for.
   * `taken` when there is such a file; `nowhere` when its directory is gone.
   */
  mark(path: string): Promise<"made" | "taken" | "nowhere">;
}

const HEARTBEAT = 60_000;
/** How long after its last heartbeat an owner we cannot look up is taken for dead. */
const SILENCE = 10 * HEARTBEAT;

/** The owner files of this process, one a store. */
const files = new Set<string>();

/** A new owner, registered on first use; its file goes when the process ends in good order. */
export function createOwner(directory: string, format: number): Owner {
  const token = `${process.pid}-${randomBytes(8).toString("hex")}`;
  const file = join(directory, token);
  const self: OwnerFile = {
    format,
    pid: process.pid,
    start: processStart(process.pid),
    place: place(),
  };
  let registered: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    try {
      await writeFile(file, JSON.stringify(self), { mode: 0o600 });
    } catch (error) {
      // On a full disk the file is there and empty, which will do: its heartbeat speaks for it.
      if (!isErrno(error, "ENOSPC", "EDQUOT")) throw error;
    }
    if (files.size === 0) process.once("exit", removeAll);
    files.add(file);
  };
  const beat = async (): Promise<void> => {
    const now = new Date();
    // Somebody who could not look us up and had heard nothing for too long may have removed it.
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
  const mark = async (path: string): Promise<"made" | "taken" | "nowhere"> => {
    await register();
    for (let again = false; ; again = true) {
      try {
        await link(file, path);
        return "made";
      } catch (error) {
        if (isErrno(error, "EEXIST")) return "taken";
        if (!isErrno(error, "ENOENT")) throw noLinks(error);
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

function noLinks(error: unknown): unknown {
  if (!isErrno(error, "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EPERM")) return error;
  return new StoreError(
    "InternalError",
    500,
    "The store needs a file system with hard links; the one it is on refused to make one.",
  );
}

/**
 * What has become of the process that an owner file, or a lock linked to one, speaks for. `gone`
 * when there is no such file, which says nothing about a file that is made a moment later.
 */
export async function fateOf(file: string): Promise<"alive" | "dead" | "gone"> {
  const text = await ifThere(readFile(file, "utf8"));
  const seen = await ifThere(stat(file));
  if (text === undefined || seen === undefined) return "gone";
  const owner = parse(text);
  const heard = Date.now() - seen.mtimeMs < SILENCE ? "alive" : "dead";
  // Half-written by a process that has only just begun or was cut off; or not of our world.
  if (owner === undefined || owner.place !== place()) return heard;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (isErrno(error, "ESRCH")) return "dead";
  }
  const start = processStart(owner.pid);
  if (start === "" || owner.start === "") return heard;
  return start === owner.start ? "alive" : "dead";
}

function parse(text: string): OwnerFile | undefined {
  try {
    return JSON.parse(text) as OwnerFile;
  } catch {
    return undefined;
  }
}

let knownPlace: string | undefined;
function place(): string {
  knownPlace ??= `${hostname()} ${tryRead(() => readlinkSync("/proc/self/ns/pid"))}`;
  return knownPlace;
}

/** Boot and start time of a process on Linux (proc(5)); empty elsewhere or when there is none. */
function processStart(pid: number): string {
  const boot = tryRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const line = tryRead(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The command name, in parentheses, may hold anything; starttime is the 20th field after it.
  const ticks = line.slice(line.lastIndexOf(")") + 2).split(" ")[19];
  return ticks === undefined ? "" : `${boot} ${ticks}`;
}

function tryRead(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
