/**
 * Faults of the file system at a chosen call, for tests that mock `node:fs` and `node:fs/promises`
 * with this. Calls that block count only where the disk may be full: only an end of the process can
 * come between such a call and the next, and that equals an end at the next one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { FileHandle } from "node:fs/promises";
import { callbackify, promisify } from "node:util";
import { afterEach } from "vitest";

/** From one call that is cut off to the next: the long proofs leave none out. */
export const STEP = process.env["PAIL_TEST_EVERY_CALL"] === "1" ? 1 : 5;

type FileSystem = typeof import("node:fs/promises");
type Blocking = typeof import("node:fs");

/**
 * The fault at the call that is `left` calls away: the call never returns, or the disk is full from
 * then on, or something else is done just before it.
 */
const state = {
  left: Infinity,
  kind: "death" as "death" | "full" | "meanwhile",
  reached: (): unknown => undefined,
  /** How many calls have come through the faulty file system. */
  seen: 0,
};
const opened: (() => Promise<void>)[] = [];
/** Whose calls these are: those of the dead never return, however late they are made. */
const lives = new AsyncLocalStorage<{ dead: boolean }>();
const underWay = new Set<Promise<unknown>>();
const faulty =
  <A extends unknown[], R>(call: (...args: A) => R, writes: boolean, self?: unknown) =>
  (...args: A): R | Promise<never> => {
    if (lives.getStore()?.dead === true) return new Promise<never>(() => undefined);
    const counts = state.left !== Infinity && (writes || state.kind !== "full");
    state.seen += 1;
    if (counts) state.left -= 1;
    if (!counts || state.left >= 0) {
      const result = call.apply(self, args);
      if (result instanceof Promise) {
        const ended: Promise<unknown> = result.then(
          () => underWay.delete(ended),
          () => underWay.delete(ended),
        );
        underWay.add(ended);
      }
      return result;
    }
    if (state.kind === "meanwhile") {
      state.left = Infinity;
      return Promise.resolve(state.reached()).then(() => call.apply(self, args)) as R;
    }
    state.reached();
    if (state.kind === "death") return new Promise<never>(() => undefined);
    return Promise.reject(full());
  };

function full(): Error {
  return Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" });
}

/** The file system with faults: what `vi.mock("node:fs/promises", …)` is to return. */
export function faultyFileSystem(real: FileSystem): Record<string, unknown> {
  const fake: Record<string, unknown> = { ...real };
  for (const name of ["link", "mkdir", "rename"]) fake[name] = faulty(real[name as "link"], true);
  for (const name of ["readFile", "readdir", "rm", "rmdir", "unlink"]) {
    fake[name] = faulty(real[name as "rm"], false);
  }
  const open = async (...args: Parameters<typeof real.open>): Promise<FileHandle> => {
    const file: FileHandle = await real.open(...args);
    opened.push(file.close.bind(file));
    for (const name of ["read", "write", "writev", "datasync", "sync", "close"] as const) {
      const value = faulty(file[name] as () => unknown, /write|sync/.test(name), file);
      Object.defineProperty(file, name, { value });
    }
    return file;
  };
  const [reading, writing] = [faulty(open, false), faulty(open, true)];
  fake["open"] = (...args: Parameters<typeof open>) =>
    (args[1] === "r" ? reading : writing)(...args);
  return fake;
}

/** The module that `vi.mock("node:fs", …)` is to return. */
export function faultyCalls(real: Blocking): Record<string, unknown> {
  const withCallback = (call: (...args: never[]) => unknown): unknown =>
    callbackify(faulty(promisify(call) as () => Promise<unknown>, true));
  return {
    ...real,
    open: withCallback(real.open),
    fsync: withCallback(real.fsync),
    fdatasync: withCallback(real.fdatasync),
    writevSync: (...args: Parameters<typeof real.writevSync>) => {
      if (state.kind === "full" && state.left !== Infinity && (state.left -= 1) < 0) throw full();
      return real.writevSync(...args);
    },
  };
}

afterEach(async () => {
  state.left = Infinity;
  // Closes the files that dead processes left open; closing twice does no harm.
  await Promise.all(opened.splice(0).map((close) => close()));
});

/**
 * Makes every call go through the thread pool, where a fault can strike it; to be called after the
 * mocks are made.
 */
async function everyCallWaits(): Promise<void> {
  const { pool } = await import("../../../../src/system/calls.js");
  pool.until = Infinity;
}

/** Fails a test whose faults cannot strike, since another file loaded the store before it did. */
function requireFaults(): void {
  if (state.seen === 0) throw new Error("the store does not use the faulty file system");
}

/** Runs the work up to its nth call; false when it ended before that. */
export async function dieAt(call: number, work: () => Promise<unknown>): Promise<boolean> {
  await everyCallWaits();
  const life = { dead: false };
  const death = new Promise<boolean>((resolve) => {
    state.reached = () => {
      life.dead = true;
      resolve(true);
    };
  });
  state.kind = "death";
  state.left = call;
  const ended = await Promise.race([death, lives.run(life, work).then(() => false)]);
  state.left = Infinity;
  // Calls that were under way beside the last one end before the disk is read.
  await Promise.all(underWay);
  requireFaults();
  return ended;
}

/** Runs the work on a disk that is full from its nth writing call on; what it threw, if it did. */
export async function fullAt(call: number, work: () => Promise<unknown>): Promise<unknown> {
  await everyCallWaits();
  state.kind = "full";
  state.left = call;
  state.reached = () => undefined;
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    state.left = Infinity;
    requireFaults();
  }
}

/** Does something just before the nth call of the work; false when the work ended before that. */
export async function meanwhileAt<T>(
  call: number,
  other: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<{ happened: boolean; result: T }> {
  await everyCallWaits();
  let happened = false;
  state.reached = async () => {
    happened = true;
    await other();
  };
  state.kind = "meanwhile";
  state.left = call;
  const result = await work();
  state.left = Infinity;
  requireFaults();
  return { happened, result };
}
