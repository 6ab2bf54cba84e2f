/**
 * Temporary files of downloads whose process was killed. Their names say which process made them,
 * so that a later one can tell what a dead one left from what a live one is writing.
 *
 * Only Linux lets that be proven (proc(5)): a process number means something within one boot and
 * one PID namespace, and a number that is in use again has another start time. Elsewhere the names
 * say nothing, and nothing is removed.
 */
import { createHash } from "node:crypto";
import { opendirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";

import { isAlive } from "../../system/process-alive.js";
import { codeOf } from "../failures/local.js";

const NAME = /^\.pail-([0-9a-f]{16})-([0-9]{1,10})-([0-9]+)-[0-9a-f]+-[0-9]+\.partial$/;

interface Self {
  /** Within which process numbers mean the same. */
  readonly place: string;
  /** In clock ticks since the boot. */
  readonly start: string;
}

let known: { readonly self: Self | undefined; readonly mark: string } | undefined;

function self(): NonNullable<typeof known> {
  if (known === undefined) {
    const me = lookUp();
    const mark = me === undefined ? "" : `${me.place}-${process.pid}-${me.start}-`;
    known = { self: me, mark };
  }
  return known;
}

function lookUp(): Self | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const namespace = readlinkSync("/proc/self/ns/pid");
    const place = createHash("sha256").update(`${boot} ${namespace}`).digest("hex").slice(0, 16);
    const start = startOf(process.pid);
    return start === undefined ? undefined : { place, start };
  } catch {
    // Not a Linux, or one that does not tell.
    return undefined;
  }
}

/** When a process started; undefined where the system does not say. */
function startOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name, in parentheses, may hold anything; starttime is the 20th field after it.
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** What this process puts into the names of its temporary files; empty where it proves nothing. */
export function ownerMark(): string {
  return self().mark;
}

/**
 * Removes from a directory the temporary files of processes that are gone. A file that a later run
 * can resume carries no mark, and is not touched.
 */
export function removeLeftovers(directory: string): void {
  const me = self().self;
  if (me === undefined) return;
  try {
    const entries = opendirSync(directory, { bufferSize: 1024 });
    try {
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        if (!entry.name.startsWith(".pail-") || !entry.isFile()) continue;
        const [, place, pid, start] = NAME.exec(entry.name) ?? [];
        if (place !== me.place || isRunning(Number(pid), start!)) continue;
        rmSync(join(directory, entry.name), { force: true });
      }
    } finally {
      entries.closeSync();
    }
  } catch (error) {
    // Whether a directory can be written to is for the download to find out.
    if (codeOf(error) === "") throw error;
  }
}

/** Whether the process that started at `start` still runs; what cannot be known counts as running. */
function isRunning(pid: number, start: string): boolean {
  if (!isAlive(pid)) return false;
  const started = startOf(pid);
  return started === undefined || started === start;
}
