/** What the console remembers from one time to the next: the last place. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Handler } from "./deps.js";

const FILE = "console.json";

/** The last place, `alias/bucket/prefix`; undefined when there is none, or none that can be read. */
export async function lastPlace(stateDir: string): Promise<string | undefined> {
  try {
    const saved: unknown = JSON.parse(await readFile(join(stateDir, FILE), "utf8"));
    const place = (saved as { place?: unknown } | null)?.place;
    return typeof place === "string" && place !== "" ? place : undefined;
  } catch {
    // Remembering is a convenience: without it the console starts where it always can.
    return undefined;
  }
}

export const remember: Handler<"remember"> = async ({ context }, { place }) => {
  const directory = context.directories.state;
  const temporary = join(directory, `${FILE}.${randomUUID()}`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${JSON.stringify({ place })}\n`, { mode: 0o600 });
    await rename(temporary, join(directory, FILE));
  } catch {
    // Where nothing can be written nothing is remembered; saying so at every step would help nobody.
    await rm(temporary, { force: true }).catch(() => undefined);
  }
};
