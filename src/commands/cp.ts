import { existsSync } from "node:fs";
import { dirname } from "node:path";

import { string as stringArg } from "@oclif/core/args";
import { boolean, string } from "@oclif/core/flags";

import { BaseCommand } from "../cli/base.js";
import { noteIdlePatterns, readFilter } from "../cli/filters.js";
import { requireOne, unknownTarget } from "../cli/locations.js";
import type { Output } from "../cli/output.js";
import { place } from "../cli/places.js";
import {
  FILTER_RULES,
  filterFlags,
  headerFlags,
  objectHeaders,
  tuning,
  tuningFlags,
} from "../cli/transfer-flags.js";
import { preserveFlags, readPreserve } from "../cli/sync-flags.js";
import { showTransfer } from "../cli/transfer-view.js";
import { AppError, isAppError } from "../core/failures/errors.js";
import { copy } from "../core/operations/copy.js";
import type { Place } from "../core/operations/types.js";

export default class Copy extends BaseCommand {
  static override summary = "Copy objects and files, in any direction.";
  static override description = `Local to bucket, bucket to local, bucket to bucket; within an alias the service copies by itself, across aliases the bytes stream through and never touch the disk. "-" is stdin or stdout.

What is copied to a bucket, to a name ending in "/" or to an existing directory keeps its own name. With -r, "photos" keeps its name at the target and "photos/" does not.

A download appears whole or not at all. An interrupted copy of a large object goes on where it was when the same command is given again.

${FILTER_RULES}`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> 1.txt local/demo",
    "<%= config.bin %> <%= command.id %> -r photos play/backup",
    "<%= config.bin %> <%= command.id %> -r --exclude '*.tmp' play/backup/photos/ ./photos",
    "<%= config.bin %> <%= command.id %> -r play/backup local/backup",
    "$ tar c . | <%= config.bin %> <%= command.id %> - local/demo/all.tar",
    "<%= config.bin %> <%= command.id %> local/demo/all.tar - | tar t",
  ];
  static override args = {
    sources: stringArg({
      description: "what to copy: local paths, alias/bucket/key, or -",
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
    target: stringArg({ description: "where to", required: true, ignoreStdin: true }),
  };
  static override flags = {
    recursive: boolean({ char: "r", description: "Copy directories and prefixes whole." }),
    "no-clobber": boolean({ char: "n", description: "Leave what is there already as it is." }),
    "dry-run": boolean({ description: "Say what would be copied; copy nothing." }),
    "version-id": string({
      description: "Copy this version of the source.",
      helpValue: "ID",
      exclusive: ["recursive"],
    }),
    ...preserveFlags,
    ...filterFlags,
    ...headerFlags,
    ...tuningFlags,
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(Copy);
    const headers = objectHeaders(flags);
    const options = tuning(flags);
    const filter = readFilter(flags);
    requireOne(args.sources, flags["version-id"]);
    const sources: Place[] = [];
    for (const text of args.sources) {
      sources.push(await place(context, text, "source", flags["version-id"]));
    }
    const target = await place(context, args.target, "target");
    if (target.type === "stdio") this.endWithReader();
    if (target.type === "path") {
      const unknown = sources.some(({ type }) => type === "bucket")
        ? undefined
        : unknownTarget(args.target);
      if (unknown !== undefined) throw unknown;
      requireParent(target.path);
    }
    const copied = showTransfer(target.type === "stdio" ? silent(output) : output, (follow) =>
      copy({
        sources,
        target,
        recursive: flags.recursive,
        noClobber: flags["no-clobber"],
        filter,
        dryRun: flags["dry-run"],
        stateDir: context.directories.state,
        signal,
        ...follow,
        ...headers,
        ...options,
        preserve: readPreserve(flags),
      }),
    );
    await copied.catch(async (error: unknown) => {
      throw flags.recursive ? error : await hintedAtRecursion(error, sources, signal);
    });
    if (flags.recursive) noteIdlePatterns(output, flags, filter);
  }
}

/** The error of an object that is not there, with a hint where its name is that of a prefix. */
async function hintedAtRecursion(
  error: unknown,
  [source, ...others]: readonly Place[],
  signal: AbortSignal,
): Promise<unknown> {
  const missing = isAppError(error) && error.code === "NoSuchKey" && others.length === 0;
  if (!missing || source?.type !== "bucket") return error;
  const prefix = source.key.endsWith("/") ? source.key : `${source.key}/`;
  const below = source.storage.list({ prefix, pageSize: 1, signal });
  for await (const entries of below) {
    if (entries.length === 0) continue;
    const { kind, code, message, details } = error;
    const hint = `there are objects below ${prefix}: add -r to copy them`;
    return new AppError({ kind, code, message, details, hint, cause: error });
  }
  return error;
}

/** Only the last part of a target is made: a typing mistake must not become a tree. */
function requireParent(path: string): void {
  const parent = dirname(path);
  if (existsSync(parent)) return;
  throw new AppError({
    kind: "not-found",
    code: "ENOENT",
    message: `${parent}: no such directory`,
    hint: `mkdir -p ${parent}`,
    details: { path: parent },
  });
}

/** The object goes to stdout, so nothing else may. */
function silent(output: Output): Output {
  return {
    ...output,
    quiet: true,
    json: false,
    result: () => undefined,
    note: () => undefined,
  };
}
