/**
 * Temporary files of downloads whose process was killed. Their names say which process made them,
 * so that a later one can tell what a dead one left from what a live one is writing.
 *
 * Only Linux lets that be proven (proc(5)): a process number means something within one boot and
 * one PID namespace, and a number that is in use again has another start time. Elsewhere the names
 * say nothing, and nothing is removed.
 */
import { createHash } from "node:crypto";
import { opendirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { fateOfProcess, ownIdentity } from "../../system/process.js";
import { codeOf } from "../failures/local.js";

const NAME = /^\.pail-([0-9a-f]{16})-([0-9]{1,10})-([0-9]+)-[0-9a-f]+-[0-9]+\.partial$/;

interface Self {
  readonly place: string;
  /** Within which process numbers and start times mean the same, as a name can hold it. */
  readonly world: string;
  readonly boot: string;
  readonly mark: string;
}

let known: Self | undefined;

function self(): Self {
  if (known === undefined) {
    const { pid, start, place } = ownIdentity();
    const [boot = "", ticks] = start.split(" ");
    const world = createHash("sha256").update(`${boot} ${place}`).digest("hex").slice(0, 16);
    const mark = ticks === undefined ? "" : `${world}-${pid}-${ticks}-`;
    known = { place, world, boot, mark };
  }
  return known;
}

/** The mark of this process in the names of its temporary files; empty where it proves nothing. */
export function ownerMark(): string {
  return self().mark;
}

/**
 * Removes from a directory the temporary files of processes that are gone. A file that a later run
 * can resume carries no mark, and is not touched.
 */
export function removeLeftovers(directory: string): void {
  const { place, world, boot, mark } = self();
  if (mark === "") return;
  try {
    const entries = opendirSync(directory, { bufferSize: 1024 });
    try {
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        if (!entry.name.startsWith(".pail-") || !entry.isFile()) continue;
        const [, found, pid, ticks] = NAME.exec(entry.name) ?? [];
        if (found !== world) continue;
        const maker = { pid: Number(pid), start: `${boot} ${ticks}`, place };
        if (fateOfProcess(maker) === "dead") rmSync(join(directory, entry.name), { force: true });
      }
    } finally {
      entries.closeSync();
    }
  } catch (error) {
    // Whether a directory can be written to is for the download to find out.
    if (codeOf(error) === "") throw error;
  }
}
