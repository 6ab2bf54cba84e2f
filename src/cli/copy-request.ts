/** The parts that `cp` and `mv` share: arguments, flags, and the request they make. */
import { shellWord } from "../core/failures/shell-word.js";
import { existsSync } from "node:fs";
import { dirname } from "node:path";

import { boolean, option } from "@oclif/core/flags";

import type { Filter } from "../core/filter.js";
import { AppError, isAppError } from "../core/failures/errors.js";
import type { CopyRequest, Place } from "../core/operations/types.js";
import type { Reading } from "../core/operations/address.js";
import { many, one, valueFlag } from "./args.js";
import type { Session } from "./base.js";
import { contextAt } from "./at-flag.js";
import {
  filterFlags,
  type FilterInput,
  readFilter,
  readSkipped,
  requireChoice,
  walkFlags,
} from "./choice.js";
import { type ExtrasInput, contextsWith, extrasFlags } from "./extras.js";
import { anywhere, requireOne, unknownTarget } from "./locations.js";
import { literalFlag } from "./address.js";
import { place, sourcePlaces } from "./places.js";
import { preserveFlags, readPreserve } from "./sync-flags.js";
import { headerFlags, objectHeaders, tuning, tuningFlags } from "./transfer-flags.js";

/** The arguments of a command that copies or moves; `verb` is its verb. */
export function copyArgs(verb: string) {
  return {
    sources: many(
      `what to ${verb}: local paths, alias/bucket/key${verb === "copy" ? ", or -" : ""}`,
    ),
    target: one("where to"),
  };
}

/** Its flags. */
export function copyFlags(verb: string, done: string) {
  const Verb = `${verb[0]!.toUpperCase()}${verb.slice(1)}`;
  return {
    recursive: boolean({ char: "r", description: `${Verb} directories and prefixes whole.` }),
    "if-exists": option({
      description: "How to go on where the target exists. Default: replace.",
      options: ["replace", "skip", "fail", "keep-both"] as const,
    })(),
    "no-clobber": boolean({
      char: "n",
      description: "The same as --if-exists skip.",
      exclusive: ["if-exists"],
    }),
    update: boolean({
      char: "u",
      description: "Replace only what is older than the source.",
      exclusive: ["if-exists", "no-clobber"],
    }),
    "dry-run": boolean({ description: `Say what would be ${done}; ${verb} nothing.` }),
    "version-id": valueFlag(`${Verb} this version of the source.`, "ID", {
      exclusive: ["recursive"],
    }),
    ...literalFlag,
    ...preserveFlags,
    ...filterFlags,
    ...walkFlags,
    ...headerFlags,
    ...extrasFlags,
    ...tuningFlags,
  };
}

type Flags = FilterInput &
  ExtrasInput &
  Parameters<typeof readPreserve>[0] &
  Parameters<typeof objectHeaders>[0] &
  Parameters<typeof readSkipped>[0] &
  Parameters<typeof tuning>[0] & {
    readonly recursive: boolean;
    readonly "if-exists"?: Exclude<CopyRequest["ifExists"], (...args: never[]) => unknown>;
    readonly "no-clobber": boolean;
    readonly update: boolean;
    readonly "dry-run": boolean;
    readonly "version-id"?: string | undefined;
    readonly at?: string | undefined;
  };

/**
 * The request the command line makes; a shard's split is of one of the `named` places. Throws usage
 * errors and what is wrong with the places.
 */
export async function copyRequest(
  { context, signal }: Pick<Session, "context" | "signal">,
  args: { readonly sources: readonly string[]; readonly target: string },
  flags: Flags,
  reading: Reading,
  named: readonly string[] = [...args.sources, args.target],
): Promise<CopyRequest & { readonly filter: Filter }> {
  const headers = objectHeaders(flags);
  const options = tuning(flags);
  const filter = await readFilter(context, flags, named);
  const recursive = flags.recursive || filter.names !== undefined;
  requireOne(args.sources, flags["version-id"]);
  const isLocal = (await anywhere(context, args.target)).type !== "remote";
  const contexts = contextsWith(context, flags, isLocal);
  const then = contextAt(contexts.source, flags.at);
  const sources: Place[] = [];
  for (const text of args.sources) {
    const { "version-id": versionId } = flags;
    const options = { reading, recursive, versionId, signal };
    sources.push(...(await sourcePlaces(then, text, options)));
  }
  const patterns = sources.some((source) => "pattern" in source && source.pattern !== undefined);
  requireChoice(filter, recursive || patterns, args.sources);
  const target = await place(contexts.target, args.target, "target");
  if (target.type === "path") {
    const remote = sources.some(({ type }) => type === "bucket");
    const unknown = remote ? undefined : unknownTarget(args.target);
    if (unknown !== undefined) throw unknown;
    requireParent(target.path);
  }
  return {
    sources,
    target,
    recursive,
    ifExists: flags["no-clobber"] ? "skip" : flags.update ? "update" : flags["if-exists"],
    filter,
    skipped: readSkipped(flags),
    dryRun: flags["dry-run"],
    stateDir: context.directories.state,
    ...headers,
    ...options,
    preserve: readPreserve(flags),
  };
}

/** Only the last part of a target is made: a typing mistake must not become a tree. */
export function requireParent(path: string): void {
  const parent = dirname(path);
  if (existsSync(parent)) return;
  throw new AppError({
    kind: "not-found",
    code: "ENOENT",
    message: `${parent}: no such directory`,
    hint: `mkdir -p ${shellWord(parent)}`,
    details: { path: parent },
  });
}

/** The error of an object that is not there, with a hint where its name is that of a prefix. */
export async function hintedAtRecursion(
  error: unknown,
  { sources: [source, ...others], recursive }: CopyRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const missing = isAppError(error) && error.code === "NoSuchKey" && others.length === 0;
  if (recursive === true || !missing || source?.type !== "bucket") return error;
  if (source.pattern !== undefined) return error;
  const prefix = source.key.endsWith("/") ? source.key : `${source.key}/`;
  const below = source.storage.list({ prefix, pageSize: 1, signal });
  for await (const entries of below) {
    if (entries.length === 0) continue;
    const { kind, code, message, details } = error;
    const hint = `there are objects below ${prefix}: add -r for them`;
    return new AppError({ kind, code, message, details, hint, cause: error });
  }
  return error;
}
