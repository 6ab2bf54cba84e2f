/**
 * The format of a store, in `pail-store.json`, and the way from an older one to it.
 *
 * Format 1 (pail 0.1) had no catalogs and kept its locks in `locks/`. A bucket gets its catalog
 * when it is first listed or written to, and from then on no pail 0.1 may write past the catalog.
 * So first the format is raised, which keeps more such pails from opening the store, and then a
 * file takes the place of `locks/`, which keeps the running ones from writing: each of their
 * changes begins with a lock there.
 */
import { readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type StoreError, StoreFailure } from "../errors.js";
import { ifThere, isErrno, replaceFile, writeSynced } from "../../system/files.js";
import { fateOf } from "../../system/owner.js";

/** Raised when an older pail could misread what this one writes, or the other way round. */
export const FORMAT = 2;

interface Format {
  readonly format?: unknown;
  /** Set until no older pail can write any more. */
  readonly converting?: boolean | undefined;
}

/**
 * Finds the store to be of this format, makes it so, or throws a StoreFailure. True when it changed
 * something in the root.
 */
export async function requireFormat(
  root: string,
  temporary: () => Promise<string>,
  sync: (directory: string) => Promise<void>,
): Promise<boolean> {
  const file = join(root, "pail-store.json");
  const write = async (format: Format): Promise<void> => {
    await replaceFile(file, `${JSON.stringify(format)}\n`, await temporary());
  };
  const text = await ifThere(readFile(file, "utf8"));
  if (text === undefined) {
    await write({ format: FORMAT });
    return true;
  }
  const { format, converting } = parse(text);
  if (format === FORMAT && converting !== true) return false;
  if (format !== 1 && format !== FORMAT) throw unknownFormat(root, file, format);
  if (format === 1) {
    await refuseOlder(root);
    await write({ format: FORMAT, converting: true });
  }
  await fenceOff(join(root, "locks"), temporary);
  await sync(root);
  // An older pail that took a lock just before may still be at work under it.
  await refuseOlder(root);
  await write({ format: FORMAT });
  return true;
}

/** Puts a file where older pails make their locks. */
async function fenceOff(locks: string, temporary: () => Promise<string>): Promise<void> {
  for (;;) {
    const old = await temporary();
    try {
      await rename(locks, old);
    } catch (error) {
      if (!isErrno(error, "ENOENT")) throw error;
    }
    await rm(old, { recursive: true, force: true });
    try {
      return await writeSynced(locks, []);
    } catch (error) {
      // An older pail that was just starting made its directory again, before it saw the format.
      if (!isErrno(error, "EEXIST")) throw error;
    }
  }
}

async function refuseOlder(root: string): Promise<void> {
  const owners = join(root, "owners");
  for (const name of await readdir(owners)) {
    const file = join(owners, name);
    if (parse((await ifThere(readFile(file, "utf8"))) ?? "").format === FORMAT) continue;
    if ((await fateOf(file)) !== "alive") continue;
    throw new StoreFailure(
      `A pail of an older version (process ${name.split("-")[0]}) is using the store in ${root}. End it, then try again: this version keeps the store in another way.`,
      "ServiceUnavailable",
      503,
    );
  }
}

function parse(text: string): Format {
  try {
    return (JSON.parse(text) ?? {}) as Format;
  } catch {
    return {};
  }
}

function unknownFormat(root: string, file: string, format: unknown): StoreError {
  return new StoreFailure(
    typeof format === "number" && format > FORMAT
      ? `The store in ${root} was written by a newer pail (format ${format}; this one knows ${FORMAT}).`
      : `${file} does not say which format the store has.`,
  );
}
