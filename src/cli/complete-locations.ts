/** The names on services, for completion: kept for a while, waited for briefly, never an error. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Context } from "../context.js";
import { splitRemote } from "../core/location.js";
import type { Locations } from "./complete.js";

/** Milliseconds that a person at a prompt waits, and that an answer stays true enough. */
const PATIENCE = 500;
const FRESH = 30_000;

/** Completes aliases, buckets and one level of keys. */
export function locationsOf(context: Context): Locations {
  return async (word) => {
    try {
      if (!word.includes("/")) {
        const names = [...(await context.aliasNames())].map((name) => `${name}/`);
        return names.filter((name) => name.startsWith(word)).toSorted();
      }
      const [alias, bucket, key] = splitRemote(word);
      if (!(await context.aliasNames()).has(alias)) return [];
      const inBucket = word.indexOf("/", alias.length + 1) >= 0;
      // All of one level is asked for and kept, so that each letter typed is not a request.
      const level = inBucket
        ? `${alias}/${bucket}/${key.slice(0, key.lastIndexOf("/") + 1)}`
        : `${alias}/`;
      const all = await kept(context, level, (signal) =>
        inBucket ? keysBelow(context, level, signal) : bucketsOf(context, alias, signal),
      );
      return all.filter((one) => one.startsWith(word));
    } catch {
      // A prompt is no place for an error: the command itself will say what is wrong.
      return [];
    }
  };
}

async function bucketsOf(context: Context, alias: string, signal: AbortSignal): Promise<string[]> {
  const buckets = await (await context.buckets(alias)).list({ signal });
  return buckets.map(({ name }) => `${alias}/${name}/`);
}

/** The first page of a level: nobody reads more at a prompt. */
async function keysBelow(context: Context, level: string, signal: AbortSignal): Promise<string[]> {
  const [alias, bucket, prefix] = splitRemote(level);
  const storage = await context.bucket(alias, bucket);
  for await (const entries of storage.list({ prefix, delimiter: "/", pageSize: 1000, signal })) {
    return entries
      .filter(({ key }) => key !== prefix && !/[\u0000-\u001f\u007f-\u009f]/.test(key))
      .map(({ key }) => `${alias}/${bucket}/${key}`);
  }
  return [];
}

async function kept(
  { directories }: Context,
  level: string,
  fetch: (signal: AbortSignal) => Promise<string[]>,
): Promise<string[]> {
  const directory = join(directories.state, "completion");
  const file = join(directory, `${createHash("sha256").update(level).digest("hex")}.json`);
  try {
    const age = Date.now() - statSync(file).mtimeMs;
    if (age >= 0 && age < FRESH) return JSON.parse(readFileSync(file, "utf8")) as string[];
  } catch {
    // There is none yet, or not a whole one: it is made again.
  }
  const all = await fetch(AbortSignal.timeout(PATIENCE));
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(all), { mode: 0o600 });
  } catch {
    // Without a place to keep it, it is asked for again.
  }
  return all;
}
