/**
 * Records of transfers under way, so that the next run can go on where this one stopped, however
 * it stopped. A record is a small file in the state directory: a JSON line that says what was
 * being transferred, then a line for each thing done. It is named after what is transferred and
 * the process that does it; a record whose process is gone can be claimed by one other process.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdir, readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { PID, isAlive } from "../../system/process.js";
import { codeOf } from "../failures/local.js";

export interface ResumeRecord {
  /** The record that an earlier run left: its head, and its lines. */
  readonly left: { readonly head: unknown; readonly lines: readonly string[] } | undefined;
  /** An earlier run was killed before it had noted anything. */
  readonly endedEarly: boolean;
  /** Starts the record anew. */
  begin(head: object): void;
  /** Adds a line to it. */
  add(line: string): void;
  /** The transfer is over. */
  remove(): Promise<void>;
  /** Keeps the record for the next run. */
  keep(): void;
}

/** Records this process is working on. */
const active = new Set<string>();

/**
 * Takes the record of a transfer, named by everything that makes it the same transfer (source and
 * target). Undefined when there is nowhere to keep one, or while another run works on the same.
 */
export async function claimRecord(
  stateDir: string | undefined,
  identity: readonly string[],
): Promise<ResumeRecord | undefined> {
  if (stateDir === undefined) return undefined;
  const directory = join(stateDir, "transfers");
  const name = createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
  const path = join(directory, `${name}.${PID}`);
  if (active.has(path)) return undefined;
  active.add(path);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const claimed = await claimOld(directory, name, path);
    if (claimed === BUSY) {
      active.delete(path);
      return undefined;
    }
    // Shows now, before the first byte has moved, whether a record can be kept here.
    if (claimed === undefined) writeFileSync(path, "", { mode: 0o600 });
    return record(path, parse(claimed ?? ""), claimed === "");
  } catch (error) {
    active.delete(path);
    if (UNWRITABLE.has(codeOf(error))) return undefined;
    throw error;
  }
}

/** A home that cannot be written to costs the resuming, not the transfer. */
const UNWRITABLE = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR"]);

const BUSY = Symbol("busy");

/**
 * The text of a record that no process works on, now under `path`; undefined when there is none.
 */
async function claimOld(
  directory: string,
  name: string,
  path: string,
): Promise<string | undefined | typeof BUSY> {
  const found = (await readdir(directory)).filter((file) => file.startsWith(`${name}.`));
  let text: string | undefined;
  for (const file of found) {
    const pid = Number(file.slice(name.length + 1));
    if (pid !== PID && isAlive(pid)) return BUSY;
    try {
      // The process that renames it has it; a second one finds it gone.
      await rename(join(directory, file), path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return BUSY;
      throw error;
    }
    text = await readFile(path, "utf8");
  }
  return text;
}

function parse(text: string): ResumeRecord["left"] {
  // The earlier run ended in the middle of the text behind the last line feed.
  const lines = text.split("\n").slice(0, -1);
  if (lines[0] === undefined) return undefined;
  try {
    return { head: JSON.parse(lines[0]) as unknown, lines: lines.slice(1) };
  } catch {
    return undefined;
  }
}

function record(path: string, left: ResumeRecord["left"], endedEarly: boolean): ResumeRecord {
  let writable = true;
  const write = (text: string, flag: "w" | "a") => {
    if (!writable) return;
    try {
      writeFileSync(path, `${text}\n`, { mode: 0o600, flag });
    } catch (error) {
      if (!UNWRITABLE.has(codeOf(error))) throw error;
      // Its last line may be cut off: a reader leaves that line out.
      writable = false;
    }
  };
  return {
    left,
    endedEarly,
    begin: (head) => write(JSON.stringify(head), "w"),
    add: (line) => write(line, "a"),
    remove: async () => {
      active.delete(path);
      await rm(path, { force: true });
    },
    keep: () => {
      active.delete(path);
    },
  };
}
