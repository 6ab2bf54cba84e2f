/** Keeping what the console remembers, in one small file. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { replaceFile } from "../../system/files.js";
import { type Memory, NOTHING, memoryOf } from "../state/memory.js";
import type { Handler } from "./deps.js";

const FILE = "console.json";

/** The memory in the file; nothing when there is no file, or none that can be read. */
export async function readMemory(stateDir: string): Promise<Memory> {
  try {
    return memoryOf(JSON.parse(await readFile(join(stateDir, FILE), "utf8")));
  } catch {
    // Remembering is a convenience: without it the console starts where it always can.
    return NOTHING;
  }
}

/** Writes go one at a time, so that the latest is the one that stays. */
let writing: Promise<void> = Promise.resolve();

export const remember: Handler<"remember"> = ({ context, latest }, { memory }) => {
  const replaced = latest("remember");
  const directory = context.directories.state;
  const file = join(directory, FILE);
  const write = async () => {
    if (replaced.aborted) return;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await replaceFile(file, `${JSON.stringify(memory)}\n`, `${file}.${randomUUID()}`);
  };
  // Without a place to write, nothing is remembered; saying so at every step would help nobody.
  writing = writing.then(write).catch(() => undefined);
  return writing;
};
