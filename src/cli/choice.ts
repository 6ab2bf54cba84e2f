/** The flags that choose among the things a command finds, and their meaning. */
import { createReadStream, readFileSync } from "node:fs";

import { boolean, integer, string } from "@oclif/core/flags";

import { valueFlag } from "./args.js";
import { invalidArgument } from "../core/failures/errors.js";
import { localError } from "../core/failures/local.js";
import {
  type Filter,
  idlePatterns,
  isChoosing,
  parsePatterns,
  requireValid,
} from "../core/filter.js";
import type { Skipped } from "../core/local/list.js";
import { compareKeys } from "../core/storage/key-order.js";
import { parseMoment, parseSize } from "../text/units.js";
import type { Context } from "../context.js";
import type { Output } from "./output.js";
import { readShard, shardFlags, type ShardInput } from "./shard.js";
import { linesOf, NULL_CHAR } from "./stdin-lines.js";

const helpGroup = "FILTERS";
const several = { multiple: true, multipleNonGreedy: true, helpGroup } as const;

/** Flags that choose by size and time. */
export const boundFlags = {
  larger: valueFlag("Only what has at least this size, as 10MiB.", "SIZE", { helpGroup }),
  smaller: valueFlag("Only what has at most this size.", "SIZE", { helpGroup }),
  "newer-than": valueFlag("Only what was changed since: 7d, 12h, 2025-11-01.", "TIME", {
    helpGroup,
  }),
  "older-than": valueFlag("Only what was not changed since.", "TIME", { helpGroup }),
  "max-depth": integer({ description: "At most so many levels deep.", min: 1, helpGroup }),
};

/** Flags that choose among what a command finds. */
export const filterFlags = {
  include: string({
    description: "Only names that match; may be repeated.",
    helpValue: "GLOB",
    ...several,
  }),
  exclude: string({
    description:
      "Not names that match, nor what is below them; wins over --include; may be repeated.",
    helpValue: "GLOB",
    ...several,
  }),
  "exclude-from": string({
    description: "Not names that match the patterns of a file, in the syntax of .gitignore.",
    helpValue: "FILE",
    ...several,
  }),
  "files-from": valueFlag(
    "Only the names in a file, or - for stdin: one a line, exact, nothing is listed.",
    "FILE",
    { helpGroup },
  ),
  null: boolean({
    char: NULL_CHAR,
    description: "Names that are read end with NUL, as find -0 prints them.",
    helpGroup,
  }),
  ...boundFlags,
  ...shardFlags,
};

/** Flags that name the parts of local directories to pass over. */
export const walkFlags = {
  "no-follow-symlinks": boolean({ description: "Pass over links.", helpGroup }),
  "skip-special": boolean({
    description: "Pass over named pipes, sockets and devices.",
    helpGroup,
  }),
};

/** The rules of the filter flags, for the help of every command that has them. */
export const FILTER_RULES = `The filters follow .gitignore. A GLOB without "/" matches a name at any depth, one with "/" the whole path below the source; one that ends with "/" matches directories only. A pattern that matches a directory holds for everything below it: --exclude .git leaves out the whole tree. "*" and "?" stop at "/", "**" does not; [a-z] is a set, {a,b} a choice, "\\" makes the next character itself. The last --exclude that matches decides, and "!" in front takes a name back.`;

interface BoundInput {
  readonly larger?: string | undefined;
  readonly smaller?: string | undefined;
  readonly "newer-than"?: string | undefined;
  readonly "older-than"?: string | undefined;
  readonly "max-depth"?: number | undefined;
}

export interface FilterInput extends BoundInput, ShardInput {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly "exclude-from"?: readonly string[] | undefined;
  readonly "files-from"?: string | undefined;
  readonly null?: boolean | undefined;
  readonly stdin?: boolean | undefined;
}

/** The bounds the flags ask for. Throws usage errors. */
export function readBounds(flags: BoundInput): Filter {
  const { larger, smaller, "newer-than": newer, "older-than": older } = flags;
  return {
    minSize: larger === undefined ? undefined : parseSize(larger),
    maxSize: smaller === undefined ? undefined : parseSize(smaller),
    newerThan: newer === undefined ? undefined : parseMoment(newer),
    olderThan: older === undefined ? undefined : parseMoment(older),
    maxDepth: flags["max-depth"],
  };
}

/**
 * The filter that the flags ask for, below the places that the command names; --exclude outranks
 * --exclude-from. Throws usage errors.
 */
export async function readFilter(
  context: Context,
  flags: FilterInput,
  places: readonly string[],
): Promise<Filter> {
  const files = (flags["exclude-from"] ?? []).flatMap((path) => {
    try {
      return parsePatterns(readFileSync(path, "utf8"));
    } catch (error) {
      throw localError(error, "read", path);
    }
  });
  const filter = {
    include: flags.include,
    exclude: [...files, ...(flags.exclude ?? [])],
    names: await readNames(flags),
    shard: await readShard(context, flags, places),
    ...readBounds(flags),
  };
  requireValid(filter);
  return filter;
}

/** The names of --files-from in the order of a listing, each once. */
async function readNames(flags: FilterInput): Promise<string[] | undefined> {
  const path = flags["files-from"];
  if (path === undefined && flags.null === true && flags.stdin !== true) {
    throw invalidArgument(
      "-0 says how a list of names ends its lines, and there is no list",
      "add --files-from FILE",
    );
  }
  if (path === undefined) return undefined;
  const names = new Set<string>();
  try {
    const [stream, from] = path === "-" ? [process.stdin, "stdin"] : [createReadStream(path), path];
    for await (const name of linesOf(stream, flags.null === true ? "\0" : "\n", from)) {
      if (name !== "") names.add(name);
    }
  } catch (error) {
    throw localError(error, "read", path);
  }
  return [...names].sort(compareKeys);
}

/**
 * Throws for a filter where there is nothing to choose from, since exact names are taken as they
 * are, and for a list of names below more than one place.
 */
export function requireChoice(filter: Filter, recursive: boolean, places: readonly string[]): void {
  if (!recursive && isChoosing(filter)) {
    throw invalidArgument("filters choose among what is below a directory or a prefix", "add -r");
  }
  if (places.length === 1) return;
  if (filter.names !== undefined) {
    throw invalidArgument("--files-from names what is below one place", "name that place alone");
  }
  if (filter.shard !== undefined) {
    throw invalidArgument("--shard is a part of what is below one place", "name that place alone");
  }
}

/** The files that the walk flags ask to skip. */
export function readSkipped(flags: {
  readonly "no-follow-symlinks": boolean;
  readonly "skip-special": boolean;
}): Skipped | undefined {
  const [links, special] = [flags["no-follow-symlinks"], flags["skip-special"]];
  return links || special ? { links, special } : undefined;
}

/** Names the patterns of the command line that changed nothing: they may be mistaken. */
export function noteIdlePatterns(output: Output, flags: FilterInput, filter: Filter): void {
  const idle = new Set(idlePatterns(filter));
  const note = (name: "include" | "exclude", what: string) => {
    for (const pattern of flags[name] ?? []) {
      if (idle.has(pattern)) output.note(`--${name} '${pattern}' ${what}`);
    }
  };
  note("include", "took in nothing");
  note("exclude", "left out nothing");
}
