/** Mutual exclusion among processes, one name at a time, without a daemon. */
import { unlink } from "./calls.js";
import { type Mark, fateOf } from "./owner.js";

export interface Locks {
  /** Runs work while no other process, and nobody else in this one, holds the lock. */
  withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Likewise, but does nothing at all if somebody holds it; says whether the work was done. */
  tryLock(name: string, work: () => Promise<void>): Promise<boolean>;
  /** Frees a lock file that a dead process left. */
  release(file: string): Promise<void>;
}

export interface LockRules {
  /** The file of the lock of a name. */
  readonly fileOf: (name: string) => string;
  /** How it is taken; making the mark is atomic, and the mark says at once who holds it. */
  readonly mark: Mark;
  /** Age in milliseconds at which a mark counts as left behind, if nothing tells of its holder. */
  readonly silence?: number | undefined;
  /** The error when a live process holds the lock for too long, or its directory is gone. */
  readonly failure: (why: "held" | "nowhere", file: string) => Error;
}

/** Longest wait for a live holder, which has a lock for milliseconds unless it was suspended. */
const PATIENCE = 60_000;

/** Locks as files. Within the process callers queue, so that only one at a time asks the disk. */
export function createLocks({ fileOf, mark, silence, failure }: LockRules): Locks {
  const queues = new Map<string, Promise<unknown>>();

  /** False when it could not be had within so many milliseconds. */
  const acquire = async (file: string, patience: number): Promise<boolean> => {
    const deadline = Date.now() + patience;
    for (let attempt = 0; ; attempt += 1) {
      const marked = await mark(file);
      if (marked === "made") return true;
      if (marked === "nowhere") throw failure("nowhere", file);
      if (attempt % 16 === 3 || patience === 0) await takeOver(file);
      if (Date.now() > deadline || (patience === 0 && attempt > 0)) return false;
      const pause = Math.min(2 ** attempt, 32) * (0.5 + Math.random());
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };

  /**
   * Removes a lock whose holder is dead. Two processes must not both remove the same dead lock:
   * the second would remove the first one's new lock. So removing needs a lock of its own, under
   * which the dead lock cannot change any more; if that holder dies, the same rule applies to it.
   */
  const takeOver = async (file: string): Promise<void> => {
    if ((await fateOf(file, silence)) !== "dead") return;
    const guard = `${file}x`;
    if (!(await acquire(guard, PATIENCE))) return;
    try {
      if ((await fateOf(file, silence)) === "dead") await unlink(file);
    } finally {
      await unlink(guard);
    }
  };

  /** Whether the work was done; what it throws is thrown. */
  const locked = async (
    name: string,
    patience: number,
    work: () => Promise<void>,
  ): Promise<boolean> => {
    const before = queues.get(name);
    const turn = (async () => {
      // The one before reports its own failure.
      await before?.catch(() => undefined);
      const file = fileOf(name);
      if (!(await acquire(file, patience))) return false;
      try {
        await work();
        return true;
      } finally {
        await unlink(file);
      }
    })();
    queues.set(name, turn);
    try {
      return await turn;
    } finally {
      if (queues.get(name) === turn) queues.delete(name);
    }
  };

  const withLock = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    let result: [T] | undefined;
    await locked(name, PATIENCE, async () => void (result = [await work()]));
    if (result !== undefined) return result[0];
    throw failure("held", fileOf(name));
  };
  const tryLock = async (name: string, work: () => Promise<void>): Promise<boolean> =>
    !queues.has(name) && locked(name, 0, work);

  return { withLock, tryLock, release: takeOver };
}
