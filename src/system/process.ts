/**
 * The process and its machine, for everything that does not start or end it: the only place where
 * the core and the protocol meet the global `process`.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export const PID = process.pid;
export const PLATFORM = process.platform;
export const WINDOWS = PLATFORM === "win32";

/** Whether this process may give files to others. */
export function isSuperuser(): boolean {
  return process.getuid?.() === 0;
}

/** The identity of a process among all others, as it is written beside the files that it leaves. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and start time, which a later process of the same number has not; empty where unknown. */
  readonly start: string;
  /** The host, and the container on it, in which the number means this process. */
  readonly place: string;
}

let own: ProcessIdentity | undefined;

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: PID,
    start: startOf(PID),
    place: `${hostname()} ${tryRead(() => readlinkSync("/proc/self/ns/pid"))}`,
  };
  return own;
}

/**
 * Whether a process still runs. `unknown` for one of another place, and for one whose number is in
 * use where the system does not say since when.
 */
export function fateOfProcess({
  pid,
  start,
  place,
}: ProcessIdentity): "alive" | "dead" | "unknown" {
  if (place !== ownIdentity().place) return "unknown";
  if (!isAlive(pid)) return "dead";
  const now = startOf(pid);
  if (now === "" || start === "") return "unknown";
  return now === start ? "alive" : "dead";
}

/** Whether a process of this machine has the number; one that may not be asked is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Boot and start time of a process on Linux (proc(5)); empty elsewhere or when there is none. */
function startOf(pid: number): string {
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
