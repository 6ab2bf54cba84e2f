/** A download's last step: the file gets its name, and what had it is kept. */
import { randomBytes } from "node:crypto";
import { copyFile, lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Stats } from "node:fs";

import { conflictError } from "../core/failures/errors.js";
import type { Before } from "../core/journal/types.js";
import { sha256Of } from "../core/journal/undo-parts.js";
import { commit, discard } from "../core/local/target.js";
import type { BucketPlace } from "../core/operations/types.js";
import { recorded } from "./change.js";
import { type LocalPath, fileExists } from "./files/guard.js";
import type { Call } from "./tool.js";
import { naming, runCopy } from "./transfer.js";

type LocalTarget = LocalPath & { readonly there: Stats | undefined };

/**
 * Downloads an object to its place. Resolves with what was there before. Throws FileExists, and why
 * it could not be read.
 */
export async function downloadTo(
  call: Call,
  source: BucketPlace,
  place: LocalTarget,
): Promise<Before> {
  // Under a name of our own: what may stand at the target, a symbolic link say, is never opened.
  const temporary = join(dirname(place.path), `.pail-${randomBytes(9).toString("hex")}.download`);
  return naming(place.shown, [temporary, place.path], async () => {
    await runCopy(call, source, { type: "path", path: temporary }, { ifNoneMatch: "*" });
    return saveFile(call, temporary, place);
  });
}

/**
 * Gives a finished temporary file the name of its place: exclusively where nothing was, else in
 * place of the very file that was looked at. Throws FileExists.
 */
async function saveFile(call: Call, temporary: string, place: LocalTarget): Promise<Before> {
  const { there, shown, path } = place;
  try {
    const sha256 = (await sha256Of(temporary)) ?? "";
    const before =
      there === undefined ? ({ type: "absent" } as const) : await keepFile(call, path, there);
    await recorded(call, { alias: "", bucket: "", key: shown }, "file", before, async () => {
      if (there !== undefined) await requireSame(path, shown, there);
      if (!commit(temporary, path, there === undefined)) throw fileExists(shown);
      return { type: "file", sha256 };
    });
    return before;
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

async function keepFile(call: Call, path: string, { size }: Stats): Promise<Before> {
  if (!call.journal.reserve(size)) {
    return { type: "lost", reason: `its ${size} bytes are more than the undo budget has left` };
  }
  const file = call.journal.keptFile();
  await copyFile(path, file);
  return { type: "kept", file, size, headers: {}, tags: {} };
}

async function requireSame(path: string, shown: string, there: Stats): Promise<void> {
  const now = await lstat(path);
  if (now.ino === there.ino && now.mtimeMs === there.mtimeMs && now.size === there.size) return;
  throw conflictError(
    "Drifted",
    `${shown} changed meanwhile, so it was left`,
    "look at it, then decide again",
  );
}
