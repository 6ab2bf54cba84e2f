/**
 * The pairs that were equal the last time: for each name the ETags of both sides, in a file in key
 * order, so that a million names are read and written in passing. The file is only a hint: a pair
 * whose ETags are no longer these is looked at again, and so is every pair when there is no file.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { PID, isAlive } from "../../system/process.js";
import { createLineFile, readLineFile } from "../local/line-file.js";
import { compareKeys } from "../storage/key-order.js";
import type { Fingerprint } from "./decide.js";

export interface Fingerprints {
  /** The fingerprint of a name, if one is known; names are asked for in key order. */
  of(name: string): Fingerprint | undefined;
  /**
   * Announces a name, in key order; the returned function is called once with the fingerprint to
   * keep.
   */
  expect(name: string): (fingerprint: Fingerprint | undefined) => void;
  /** Keeps what was noted; unless all names were announced, also what was known of the rest. */
  keep(complete: boolean): void;
  /** Leaves the file as it was. */
  drop(): void;
}

/** Names whose outcome is waited for; what takes longer is written into a file of its own. */
const WAITING = 4_096;

const NONE: Fingerprints = {
  of: () => undefined,
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
    const late = new Map(fingerprintsIn(`${path}.late`));
    removeAbandoned(directory);
    return { of: (name) => known.of(name) ?? late.get(name), ...notes(path, known.rest) };
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

function* fingerprintsIn(path: string): Generator<[string, Fingerprint]> {
  try {
    for (const line of readLineFile(path)) {
      if (!Array.isArray(line)) continue;
      const [name, source, target] = line as readonly unknown[];
      if (typeof name !== "string" || typeof source !== "string") continue;
      if (typeof target === "string") yield [name, { source, target }];
    }
  } catch {
    // A file that is not there yet, or that cannot be read, costs the time it would have saved.
  }
}

/** Walks a file in key order beside the names asked for. */
function sorted(path: string) {
  const lines = fingerprintsIn(path);
  let ahead = lines.next();
  return {
    of: (name: string): Fingerprint | undefined => {
      while (ahead.done !== true && compareKeys(ahead.value[0], name) < 0) ahead = lines.next();
      return ahead.done !== true && ahead.value[0] === name ? ahead.value[1] : undefined;
    },
    /** What was not passed by. */
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
  readonly name: string;
  /** Undefined until it is settled. */
  outcome: { readonly fingerprint: Fingerprint | undefined } | undefined;
  /** Whether others went by. */
  passed: boolean;
}

/** Writes a new file in key order, though what the names wait for ends in any order. */
function notes(
  path: string,
  rest: () => Generator<[string, Fingerprint]>,
): Omit<Fingerprints, "of"> {
  const file = createLineFile(`${path}.${PID}`, { replace: true });
  const late: [string, Fingerprint][] = [];
  let waiting: Note[] = [];
  let head = 0;
  let broken = false;

  const write = (name: string, fingerprint: Fingerprint | undefined) => {
    if (fingerprint === undefined || broken) return;
    try {
      file.add([name, fingerprint.source, fingerprint.target]);
    } catch {
      broken = true; // The disk is full, say: the old file stays.
    }
  };
  const advance = (limit: number) => {
    for (; head < waiting.length; head += 1) {
      const note = waiting[head]!;
      if (note.outcome !== undefined) write(note.name, note.outcome.fingerprint);
      else if (waiting.length - head > limit) note.passed = true;
      else break;
    }
    if (head > WAITING) {
      waiting = waiting.slice(head);
      head = 0;
    }
  };
  return {
    expect: (name) => {
      const note: Note = { name, outcome: undefined, passed: false };
      waiting.push(note);
      advance(WAITING);
      return (fingerprint) => {
        note.outcome = { fingerprint };
        if (!note.passed) advance(WAITING);
        else if (fingerprint !== undefined) late.push([name, fingerprint]);
      };
    },
    keep: (complete) => {
      advance(0);
      for (const [name, fingerprint] of rest()) {
        if (complete) break;
        write(name, fingerprint);
      }
      try {
        if (broken) throw new Error("the new file is not whole");
        file.close();
        const second = createLineFile(`${path}.late`, { replace: true });
        for (const [name, { source, target }] of late) second.add([name, source, target]);
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
