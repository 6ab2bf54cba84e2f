/**
 * The pairs that were equal the last time: for each name the ETags of both sides, in a file in key
 * order, so that a million names are read and written in passing. The file is only a hint: a pair
 * whose ETags are no longer these is looked at again, and so is every pair when there is no file.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { PID, isAlive } from "../../system/process.js";
import { createLineFile, parseLine, readLines } from "../local/line-file.js";
import { compareKeys } from "../storage/key-order.js";
import type { Pair } from "./pairs.js";

/** A name and the ETags of two equal things: a line of the file, so that it is compared as text. */
export type Fingerprint = string;

export function fingerprint(name: string, source: string, target: string): Fingerprint {
  return JSON.stringify([name, source, target]);
}

export interface Fingerprints {
  /**
   * The fingerprint of two things that, as they are, are known to be equal; asked in key order, once
   * a name.
   */
  of(pair: Pair): Fingerprint | undefined;
  /** Keeps the fingerprint of the next name. */
  note(fingerprint: Fingerprint): void;
  /**
   * Announces the next name, in key order; the returned function is called once with the
   * fingerprint to keep.
   */
  expect(): (fingerprint: Fingerprint | undefined) => void;
  /** Keeps what was noted; unless all names were announced, also what was known of the rest. */
  keep(complete: boolean): void;
  /** Leaves the file as it was. */
  drop(): void;
}

/** Names whose outcome is waited for; what takes longer is written into a file of its own. */
const WAITING = 4_096;

const NONE: Fingerprints = {
  of: () => undefined,
  note: () => undefined,
  expect: () => () => undefined,
  keep: () => undefined,
  drop: () => undefined,
};

/**
 * The fingerprints of two places. Without a directory, or with one that cannot be written to,
 * nothing is known and nothing kept: that costs time only.
 */
export function openFingerprints(
  stateDir: string | undefined,
  source: string,
  target: string,
): Fingerprints {
  if (stateDir === undefined) return NONE;
  const places = createHash("sha256")
    .update(JSON.stringify([source, target]))
    .digest("hex");
  const directory = join(stateDir, "sync");
  const path = join(directory, `${places.slice(0, 32)}.jsonl`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const known = sorted(path);
    const late = new Set(linesIn(`${path}.late`));
    removeAbandoned(directory);
    const of = ({ name, source, target }: Pair) => {
      if (source?.etag === undefined || target?.etag === undefined) return undefined;
      if (known.isEmpty() && late.size === 0) return undefined;
      const line = fingerprint(name, source.etag, target.etag);
      return known.has(name, line) || late.has(line) ? line : undefined;
    };
    return { of, ...notes(path, known.rest) };
  } catch {
    return NONE;
  }
}

/** Removes what runs that were killed left half written. */
function removeAbandoned(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = Number(/\.jsonl\.(\d+)$/.exec(name)?.[1] ?? PID);
    if (!isAlive(pid)) rmSync(join(directory, name), { force: true });
  }
}

function* linesIn(path: string): Generator<Fingerprint> {
  try {
    yield* readLines(path);
  } catch {
    // A file that is not there yet, or that cannot be read, costs the time it would have saved.
  }
}

/** Whether a line is damaged, or is of a name that comes no later than this one. */
function isUpTo(line: Fingerprint, name: string): boolean {
  const value = parseLine(line);
  const found: unknown = Array.isArray(value) ? value[0] : undefined;
  return typeof found !== "string" || compareKeys(found, name) <= 0;
}

/** Walks a file in key order beside the names asked for. */
function sorted(path: string) {
  const lines = linesIn(path);
  let ahead = lines.next();
  return {
    isEmpty: () => ahead.done === true,
    has: (name: string, line: Fingerprint): boolean => {
      let found = false;
      while (ahead.done !== true && !found) {
        found = ahead.value === line;
        if (!found && !isUpTo(ahead.value, name)) break;
        ahead = lines.next();
      }
      return found;
    },
    /** The lines that were not passed by. */
    rest: function* (this: void) {
      try {
        if (ahead.done !== true) yield ahead.value;
        yield* lines;
      } finally {
        lines.return(undefined);
      }
    },
  };
}

interface Note {
  /** Undefined until it is settled. */
  outcome: { readonly fingerprint: Fingerprint | undefined } | undefined;
  /** Whether others went by. */
  passed: boolean;
}

/** Writes a new file in key order, though what the names wait for ends in any order. */
function notes(path: string, rest: () => Generator<Fingerprint>): Omit<Fingerprints, "of"> {
  const file = createLineFile(`${path}.${PID}`, { replace: true });
  const late: Fingerprint[] = [];
  let waiting: Note[] = [];
  let head = 0;
  let broken = false;

  const write = (fingerprint: Fingerprint | undefined) => {
    if (fingerprint === undefined || broken) return;
    try {
      file.addLine(fingerprint);
    } catch {
      broken = true; // The disk is full, say: the old file stays.
    }
  };
  const advance = (limit: number) => {
    for (; head < waiting.length; head += 1) {
      const note = waiting[head]!;
      if (note.outcome !== undefined) write(note.outcome.fingerprint);
      else if (waiting.length - head > limit) note.passed = true;
      else break;
    }
    if (head > WAITING) {
      waiting = waiting.slice(head);
      head = 0;
    }
  };
  return {
    note: (fingerprint) => {
      if (head === waiting.length) write(fingerprint);
      else waiting.push({ outcome: { fingerprint }, passed: false });
    },
    expect: () => {
      const note: Note = { outcome: undefined, passed: false };
      waiting.push(note);
      advance(WAITING);
      return (fingerprint) => {
        note.outcome = { fingerprint };
        if (!note.passed) advance(WAITING);
        else if (fingerprint !== undefined) late.push(fingerprint);
      };
    },
    keep: (complete) => {
      advance(0);
      for (const fingerprint of rest()) {
        if (complete) break;
        write(fingerprint);
      }
      try {
        if (broken) throw new Error("the new file is not whole");
        file.close();
        const second = createLineFile(`${path}.late`, { replace: true });
        for (const fingerprint of late) second.addLine(fingerprint);
        second.close();
        renameSync(file.path, path);
      } catch {
        file.discard();
      }
    },
    drop: () => {
      for (const _ of rest()) break;
      file.discard();
    },
  };
}
