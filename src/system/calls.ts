/**
 * File-system calls that change a name, and take microseconds unless the disk is busy. They are made
 * at once, because a trip through the thread pool takes several times as long. After one that was
 * slow they go there for a while, so that the event loop does not wait for the disk again and again.
 */
import * as blocking from "node:fs";
import * as waiting from "node:fs/promises";
import { promisify } from "node:util";

/** Milliseconds from which on a call was slow. */
const SLOW = 2;
/** How many times as long as a slow call took the next ones are spared to the event loop. */
const SPARED = 50;

/** Until when calls go through the thread pool, by `performance.now()`; tests set it. */
export const pool = { until: 0 };

/** A call in both its forms as one that chooses between them. */
export function quick<A extends unknown[], R>(
  now: (...args: A) => R,
  later: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const began = performance.now();
    if (began < pool.until) return later(...args);
    try {
      return now(...args);
    } finally {
      const ended = performance.now();
      if (ended - began > SLOW) pool.until = ended + SPARED * (ended - began);
    }
  };
}

const { linkSync, mkdirSync, openSync, renameSync, rmdirSync, unlinkSync } = blocking;
export const link = quick<[from: string, to: string], void>(linkSync, waiting.link);
export const rename = quick<[from: string, to: string], void>(renameSync, waiting.rename);
export const rmdir = quick<[path: string], void>(rmdirSync, waiting.rmdir);
export const unlink = quick<[path: string], void>(unlinkSync, waiting.unlink);
export const mkdir = quick<[path: string, options: { readonly mode: number }], unknown>(
  mkdirSync,
  waiting.mkdir,
);
/** Makes a new file, and opens it for writing. */
export const create = quick<[path: string, flags: "wx", mode: number], number>(
  openSync,
  promisify(blocking.open),
);
