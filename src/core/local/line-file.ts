/**
 * Files of JSON lines, written and read line by line: data that does not fit in memory waits here,
 * and plans and reports are such files. The calls are synchronous; each moves a buffer of many
 * lines.
 */
import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from "node:fs";

import { localError } from "../failures/local.js";

const BUFFER = 256 * 1024;

export interface LineWriter {
  readonly path: string;
  add(value: unknown): void;
  /** Adds a line that is JSON already. */
  addLine(line: string): void;
  /** Hands what was added to the system, so that it outlives the process. */
  flush(): void;
  /** Ends the file; with `sync` only once it is on the disk. */
  close(options?: { readonly sync?: boolean }): void;
  /** Ends and removes the file. */
  discard(): void;
}

/** Makes a file nobody else may read; fails with EEXIST when there is one, unless told to replace. */
export function createLineFile(path: string, { replace = false } = {}): LineWriter {
  let descriptor: number | undefined = attempt("create", path, () =>
    openSync(path, replace ? "w" : "wx", 0o600),
  );
  let text = "";
  const flush = () => {
    if (text === "" || descriptor === undefined) return;
    const bytes = Buffer.from(text);
    text = "";
    attempt("write", path, () => {
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor!, bytes, at);
    });
  };
  const end = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  const addLine = (line: string) => {
    text += `${line}\n`;
    if (text.length >= BUFFER) flush();
  };
  return {
    path,
    add: (value) => addLine(JSON.stringify(value)),
    addLine,
    flush,
    close: ({ sync = false } = {}) => {
      try {
        flush();
        if (sync && descriptor !== undefined) fsyncSync(descriptor);
      } finally {
        end();
      }
    },
    discard: () => {
      text = "";
      end();
      rmSync(path, { force: true });
    },
  };
}

/**
 * The values of a file's lines, one by one; undefined for a line that is not JSON, as the last one
 * may be when its writer was killed. Fails when the file cannot be read.
 */
export function* readLineFile(path: string): Generator {
  for (const line of readLines(path)) yield parseLine(line);
}

/** The lines themselves; fails as `readLineFile` does. */
export function* readLines(path: string): Generator<string> {
  const descriptor = attempt("read", path, () => openSync(path, "r"));
  try {
    const buffer = Buffer.allocUnsafe(BUFFER);
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const count = attempt("read", path, () => readSync(descriptor, buffer, 0, BUFFER, null));
      if (count === 0) break;
      const piece = buffer.subarray(0, count);
      const end = piece.lastIndexOf(0x0a);
      if (end < 0) {
        rest = Buffer.concat([rest, piece]);
        continue;
      }
      const text = Buffer.concat([rest, piece.subarray(0, end)]).toString();
      rest = Buffer.from(piece.subarray(end + 1));
      yield* text.split("\n");
    }
    if (rest.length > 0) yield rest.toString();
  } finally {
    closeSync(descriptor);
  }
}

/** The value of a line; undefined when it is not JSON. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function attempt<T>(verb: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw localError(error, verb, path);
  }
}
