import type { BigIntStats, Stats } from "node:fs";

import { shellWord } from "../failures/shell-word.js";
import { usageError } from "../failures/errors.js";

/** Throws what is wrong with copying from this: a directory, a FIFO, a socket, a device. */
export function requireRegularFile(stats: Stats | BigIntStats, path: string): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) {
    throw usageError(
      "IsDirectory",
      `${path} is a directory`,
      "add -r to copy it with everything in it",
    );
  }
  const type = stats.isFIFO()
    ? "a named pipe"
    : stats.isSocket()
      ? "a socket"
      : stats.isCharacterDevice() || stats.isBlockDevice()
        ? "a device"
        : "not a regular file";
  throw usageError(
    "NotRegularFile",
    `${path} is ${type}`,
    `to copy what it yields, read it as stdin: pail cp - TARGET < ${shellWord(path)}`,
  );
}
