/** Keeping what the console remembers, in one small file. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type Memory, NOTHING, memoryOf } from "../state/memory.js";
import type { Handler } from "./deps.js";

const FILE = "console.json";

/** What is remembered; nothing when there is no file, or none that can be read. */
export async function readMemory(stateDir: string): Promise<Memory> {
  try {
    return memoryOf(JSON.parse(await readFile(join(stateDir, FILE), "utf8")));
  } catch {
    // Remembering is a convenience: without it the console starts where it always can.
    return NOTHING;
  }
}

export const remember: Handler<"remember"> = async ({ context, latest }, { memory }) => {
  const current = latest("remember");
  const directory = context.directories.state;
  const temporary = join(directory, `${FILE}.${randomUUID()}`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${JSON.stringify(memory)}\n`, { mode: 0o600 });
    if (current()) await rename(temporary, join(directory, FILE));
    else await rm(temporary, { force: true });
  } catch {
    // Where nothing can be written nothing is remembered; saying so at every step would help nobody.
    await rm(temporary, { force: true }).catch(() => undefined);
  }
};
