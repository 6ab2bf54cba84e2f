import { z } from "zod";

import { type AppError, usageError } from "../../core/failures/errors.js";
import { toAppError } from "../../core/failures/map.js";
import type { ObjectEntry } from "../../core/storage/storage.js";
import { atOnce } from "../at-once.js";
import { type Bulk, type BulkItem, MAX_JOBS, carryOutAll } from "../bulk.js";
import type { Target } from "../change.js";
import { decodeCursor } from "../cursor.js";
import { MAX_PAGE } from "../limits.js";
import { relocate } from "../relocate.js";
import { type Call, defineTool } from "../tool.js";
import { bulk, name, part } from "./parameters.js";

export const copyObjectsTool = defineTool({
  name: "copy_objects",
  description: "Copy or move keys, or all below prefix; to_prefix replaces prefix in each key",
  access: "write",
  schema: {
    source_bucket: name,
    keys: z.array(name).min(1).max(MAX_PAGE).optional(),
    prefix: part.optional(),
    bucket_name: name,
    to_prefix: part.optional(),
    move: z.boolean().optional(),
    ...bulk,
  },
  aliasParameters: ["source_alias", "alias"],
  handler: async (args, call) => {
    const { source_bucket, bucket_name, prefix = "", to_prefix: to = "", move = false } = args;
    const { source_alias: alias } = args as { source_alias?: string };
    // Both ends, before anything is asked of either. A move changes the source too.
    const source = {
      alias: alias ?? call.alias,
      bucket: source_bucket,
      storage: await call.bucket(source_bucket, move ? "write" : "read", alias),
    };
    const target = {
      alias: call.alias,
      bucket: bucket_name,
      storage: await call.bucket(bucket_name, "write"),
    };
    const found = await find(call, source, args.keys, prefix, args.cursor);
    requireApart(found.entries, source, { ...target, key: to }, prefix);
    const jobs = found.entries.map((info): BulkItem => {
      const at = { ...target, key: to + info.key.slice(prefix.length) };
      return {
        name: info.key,
        size: info.size,
        target: at,
        facts: [info.etag],
        run: async (seen) => {
          const one = { source: { ...source, key: info.key }, info, target: at, seen };
          return (await relocate(call, { ...one, moves: move })).before;
        },
      };
    });
    return carryOutAll(call, jobs, {
      verb: move ? ["move", "moved"] : ["copy", "copied"],
      from: `${call.label(source.bucket, source.alias)}/${prefix}`,
      to: `${call.label(target.bucket)}/${to}`,
      moves: move,
      ifExists: args.if_exists,
      dryRun: args.dry_run,
      confirm: args.confirm,
      ...found,
    });
  },
});

interface Sources extends Pick<Bulk, "problems" | "after"> {
  readonly entries: readonly ObjectEntry[];
}

/** Looks at the keys one by one, or lists the prefix. */
async function find(
  { signal }: Call,
  { storage }: Omit<Target, "key">,
  keys: readonly string[] | undefined,
  prefix: string,
  cursor: string | undefined,
): Promise<Sources> {
  if (keys !== undefined) {
    const wanted = [...new Set(keys)];
    const other = wanted.find((key) => !key.startsWith(prefix));
    if (other !== undefined) throw usage(`the key ${other} does not begin with prefix ${prefix}`);
    const found = new Map<string, ObjectEntry>();
    const problems: { name: string; error: AppError }[] = [];
    await atOnce(wanted, signal, async (key) => {
      try {
        found.set(key, await storage.stat(key, { signal }));
      } catch (caught) {
        const error = toAppError(caught);
        if (error.code !== "NoSuchKey") throw caught;
        problems.push({ name: key, error });
      }
    });
    const entries = wanted.flatMap((key) => found.get(key) ?? []);
    return { entries, problems, after: undefined };
  }
  const entries: ObjectEntry[] = [];
  const startAfter = decodeCursor(cursor).after;
  for await (const page of storage.list({ prefix, startAfter, signal })) {
    for (const entry of page) {
      if (entry.type !== "object") continue;
      if (entries.length === MAX_JOBS) return { entries, problems: [], after: entries.at(-1)!.key };
      entries.push(entry);
    }
  }
  return { entries, problems: [], after: undefined };
}

/** A target that is a source too would be read after it was written, or removed after it was made. */
function requireApart(
  entries: readonly ObjectEntry[],
  source: Omit<Target, "key">,
  target: Target,
  prefix: string,
): void {
  if (source.storage.bucket !== target.bucket || source.storage.client !== target.storage.client)
    return;
  const keys = new Set(entries.map(({ key }) => key));
  const both = entries.find(({ key }) => keys.has(target.key + key.slice(prefix.length)));
  if (both === undefined) return;
  throw usage(
    `${target.key + both.key.slice(prefix.length)} would be a source and a target`,
    "SameObject",
  );
}

function usage(message: string, code = "InvalidArgument"): AppError {
  return usageError(code, message, "name other keys, prefix or to_prefix");
}
