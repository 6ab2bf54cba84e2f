/**
 * The journal on the disk: one file a process, a line an event. A change is written down before it
 * is made, so that a process that dies in between leaves a trace of what it was about to do.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { appendFile, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import type { After, Change, Recorded } from "./types.js";

/** The number of days for which a copy is kept. */
const KEPT_DAYS = 7;

/** The interval at which the bytes that other processes keep are counted again. */
const RECOUNT_MS = 1000;

type Event =
  | ({ readonly event: "begun" } & Change)
  | { readonly event: "done"; readonly id: string; readonly after: After }
  /** It is known not to have happened. */
  | { readonly event: "void"; readonly id: string }
  | { readonly event: "undone"; readonly id: string; readonly at: string; readonly after: After };

export interface Journal {
  /** A fresh path for a copy that is kept. */
  keptFile(): string;
  /** A fresh name for the changes of one call. */
  call(): string;
  /** Writes down what is going to be changed; resolves with how to say what came of it. */
  begin(change: Omit<Change, "id" | "at">): Promise<Pending>;
  /** Takes bytes of the budget for a copy; false when so many are not left. */
  reserve(bytes: number): boolean;
  /** Bytes that are left of the budget, which all processes of this directory share. */
  readonly left: number;
  /** The directory of the journals. */
  readonly directory: string;
  /** The changes that this process has made, oldest first. */
  changes(): Promise<Recorded[]>;
  close(): Promise<void>;
}

export interface Pending {
  done(after: After): Promise<void>;
  /** The change is known not to have been made. */
  void(): Promise<void>;
}

/**
 * Opens a journal below a directory; `budget` bounds the copies in bytes. Copies and journals of
 * a week ago are removed.
 */
export async function openJournal(directory: string, budget: number): Promise<Journal> {
  const keptDirectory = join(directory, "kept");
  await mkdir(keptDirectory, { recursive: true, mode: 0o700 });
  await removeOld(directory);
  await removeOld(keptDirectory);
  // Short, since agents read it, and in the order of time.
  const run = Math.floor(Date.now() / 1000).toString(36) + randomBytes(2).toString("hex");
  const path = join(directory, `${run}.jsonl`);
  let taken = 0;
  let others = { at: 0, bytes: 0 };
  /** The bytes that other processes keep count too; they are counted again now and then. */
  const left = (): number => {
    if (Date.now() - others.at > RECOUNT_MS) {
      others = { at: Date.now(), bytes: bytesIn(keptDirectory, (name) => !name.startsWith(run)) };
    }
    return budget - taken - others.bytes;
  };
  // Nobody else has the name; later another server may have removed the file as a week old.
  let flag = "ax";
  let lead = "";
  let tail: Promise<unknown> = Promise.resolve();
  let calls = 0;
  let changes = 0;

  const append = (event: Event): Promise<void> => {
    const written = tail.then(async () => {
      try {
        await appendFile(path, `${lead}${JSON.stringify(event)}\n`, { flag, mode: 0o600 });
        [flag, lead] = ["a", ""];
      } catch (error) {
        // A full disk may have taken the beginning of the line.
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") [flag, lead] = ["a", "\n"];
        throw error;
      }
    });
    tail = written.catch(() => undefined);
    return written;
  };
  return {
    keptFile: () => join(keptDirectory, `${run}.${randomBytes(12).toString("hex")}`),
    call: () => `${run}-${(calls += 1)}`,
    begin: async (change) => {
      const id = `${change.call}.${(changes += 1)}`;
      await append({ event: "begun", ...change, id, at: new Date().toISOString() });
      return {
        done: (after) => append({ event: "done", id, after }),
        void: () => append({ event: "void", id }),
      };
    },
    reserve: (bytes) => {
      if (bytes > left()) return false;
      taken += bytes;
      return true;
    },
    get left() {
      return left();
    },
    directory,
    changes: async () => {
      await tail;
      return readJournal(path);
    },
    close: async () => {
      await tail;
    },
  };
}

/** Every change in the journals below a directory, oldest first. */
export async function readJournals(directory: string): Promise<Recorded[]> {
  const names = await readdir(directory).catch(() => [] as string[]);
  const all = names.filter((name) => name.endsWith(".jsonl")).sort();
  const journals = await Promise.all(all.map((name) => readJournal(join(directory, name))));
  return journals.flat();
}

/** Notes in a change's journal that it was undone, and what that left. */
export async function markUndone(
  directory: string,
  { id, call }: Change,
  after: After,
): Promise<void> {
  const event: Event = { event: "undone", id, at: new Date().toISOString(), after };
  const path = join(directory, `${call.slice(0, call.lastIndexOf("-"))}.jsonl`);
  // Its process may have died in the middle of a line.
  await appendFile(path, `\n${JSON.stringify(event)}\n`);
}

async function readJournal(path: string): Promise<Recorded[]> {
  const known = new Map<string, Recorded>();
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return [];
  for await (const line of file.readLines()) {
    const event = parse(line);
    if (event === undefined) continue;
    if (event.event === "begun") {
      const { event: _begun, ...change } = event;
      known.set(change.id, change);
      continue;
    }
    const change = known.get(event.id);
    if (change === undefined) continue;
    if (event.event === "void") known.delete(event.id);
    else if (event.event === "done") known.set(event.id, { ...change, after: event.after });
    else known.set(event.id, { ...change, undone: { at: event.at, after: event.after } });
  }
  return [...known.values()];
}

/** A line that a dying process left half written does not count. */
function parse(line: string): Event | undefined {
  try {
    return JSON.parse(line) as Event;
  } catch {
    return undefined;
  }
}

/** Bytes of the files whose names are taken; those that go meanwhile are none. */
function bytesIn(directory: string, takes: (name: string) => boolean): number {
  return readdirSync(directory)
    .filter(takes)
    .reduce((sum, name) => {
      const found = statSync(join(directory, name), { throwIfNoEntry: false });
      return sum + (found?.size ?? 0);
    }, 0);
}

/** Removes what is old. */
async function removeOld(directory: string): Promise<void> {
  const before = Date.now() - KEPT_DAYS * 86_400_000;
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    if (found.mtimeMs < before) await rm(path, { force: true });
  }
}
