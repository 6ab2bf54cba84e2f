import { boolean, string } from "@oclif/core/flags";

import { BELOW, examples, many } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { findingReportFlags, jobOf, withReport } from "../cli/report-flag.js";
import { readShard, shardFlags } from "../cli/shard.js";
import { boundFlags, readBounds, requireChoice } from "../cli/choice.js";
import { NULL_CHAR } from "../cli/stdin-lines.js";
import { runWith } from "../cli/exec.js";
import { entryRecord, uploadRecord } from "../cli/list-lines.js";
import { forEachPlace, literalFlag, type OpenedPlace } from "../cli/address.js";
import { partial } from "../cli/several.js";
import { EXIT_CODES, AppError, usageError } from "../core/failures/errors.js";
import { find, type FindQuery } from "../core/operations/find.js";
import { findUploads } from "../core/operations/uploads.js";
import { parsePairs } from "../text/units.js";

const several = { multiple: true, multipleNonGreedy: true } as const;

export default class Find extends BaseCommand {
  static override summary = "Find objects by name, size, age, class or tag.";
  static override description = `Prints the location of each object found, one a line, for other commands to take: "find … -0 | rm --stdin -0" removes them. A name with a line feed is printed only with -0 or --json.

With --exec, the words behind "--" are run for each object with {} replaced by its location: as they are, never by a shell.`;
  static override examples = examples({
    "local/demo --name '*.txt'": "By name",
    "local --larger 100MiB --older-than 30d": "Large and old, in every bucket",
    "local/demo --deleted --json": "Objects that were removed and can be brought back",
    "local/demo --name '*.txt' --exec -- pail stat {}":
      "Run a command for each, never through a shell",
  });
  static override args = { targets: many(BELOW) };
  static override flags = {
    name: string({
      description: "Only objects whose last name matches; may be repeated.",
      helpValue: "GLOB",
      ...several,
    }),
    path: string({
      description: "Only objects whose whole name below the target matches; may be repeated.",
      helpValue: "GLOB",
      ...several,
    }),
    regex: string({ description: "Only keys that match, anywhere in them.", helpValue: "RE" }),
    ...boundFlags,
    class: string({
      description: "Only objects of this storage class; may be repeated.",
      ...several,
    }),
    tag: string({
      description: "Only objects with this tag; may be repeated. A request an object.",
      helpValue: "NAME=VALUE",
      ...several,
    }),
    versions: boolean({ description: "Look at every version and delete marker." }),
    deleted: boolean({ description: "Only removed objects, of which versions are left." }),
    incomplete: boolean({
      description: "Unfinished uploads in place of objects, by key and age.",
      exclusive: ["versions", "deleted", "larger", "smaller", "class", "tag"],
    }),
    ...literalFlag,
    null: boolean({ char: NULL_CHAR, description: "End each location with NUL." }),
    exec: boolean({
      description: "Run the words behind -- for each, with {} its location.",
      exclusive: ["json", "null", "report"],
    }),
    ...shardFlags,
    ...findingReportFlags,
  };

  async run(): Promise<void> {
    const at = this.argv.indexOf("--");
    const exec = this.argv.includes("--exec") && at >= 0 ? this.argv.splice(at).slice(1) : [];
    const { args, flags, ...session } = await this.open(Find);
    if (flags.exec && exec.length === 0) {
      throw usageError(
        "MissingArgument",
        "--exec has nothing to run",
        "put it behind --: pail find TARGET --exec -- pail stat {}",
      );
    }
    if (!flags.exec) this.endWithReader();
    const shard = await readShard(session.context, flags, args.targets);
    requireChoice({ shard }, true, args.targets);
    const query = { ...queryOf(flags), shard };
    const found: Found = { count: 0, bytes: 0, failed: 0, exec, null: flags.null };
    const looking = { ...flags, versions: flags.versions || flags.deleted };
    await withReport(session, flags.report, jobOf("find", this.argv, query), async (_, tell) => {
      await forEachPlace(session, args.targets, looking, (place) =>
        flags.incomplete
          ? showUploads(session, place, query, found)
          : showObjects(session, place, query, flags, found),
      );
      if (found.failed > 0) throw partial(found.failed, found.count, "object");
      tell(found.count, found.bytes);
    });
    if (found.count === 0) this.endWith(EXIT_CODES["not-found"]);
  }
}

/** The counts so far, and what becomes of each location that is found. */
interface Found {
  count: number;
  bytes: number;
  failed: number;
  readonly exec: readonly string[];
  readonly null: boolean;
}

function queryOf(
  flags: Parameters<typeof readBounds>[0] & {
    readonly name?: readonly string[] | undefined;
    readonly path?: readonly string[] | undefined;
    readonly regex?: string | undefined;
    readonly class?: readonly string[] | undefined;
    readonly tag?: readonly string[] | undefined;
  },
): FindQuery {
  const { regex, tag } = flags;
  return {
    names: flags.name,
    paths: flags.path,
    regex: regex === undefined ? undefined : toRegex(regex),
    storageClasses: flags.class,
    tags: tag === undefined ? undefined : parsePairs(tag, "tag"),
    ...readBounds(flags),
  };
}

function toRegex(text: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch (cause) {
    const message = `"${text}" is not a regular expression`;
    throw new AppError({ kind: "usage", code: "InvalidArgument", message, cause });
  }
}

async function showObjects(
  session: Session,
  { alias, bucket, key, storage }: OpenedPlace,
  query: FindQuery,
  { versions, deleted }: { readonly versions: boolean; readonly deleted: boolean },
  found: Found,
): Promise<void> {
  const label = `${alias}/${bucket}`;
  const { signal } = session;
  for await (const entries of find(storage, key, query, { versions, deleted, signal })) {
    for (const entry of entries) {
      found.bytes += entry.size;
      await show(session, `${label}/${entry.key}`, () => entryRecord(entry, label), found);
    }
    await session.output.flush();
  }
}

async function showUploads(
  session: Session,
  { alias, bucket, key, storage }: OpenedPlace,
  query: FindQuery,
  found: Found,
): Promise<void> {
  const label = `${alias}/${bucket}`;
  const { olderThan } = query;
  for await (const uploads of findUploads(storage, { key, olderThan, signal: session.signal })) {
    for (const upload of uploads) {
      await show(session, `${label}/${upload.key}`, () => uploadRecord(upload, label), found);
    }
  }
}

/** Prints a location, or runs the command with it. */
async function show(
  { output, signal }: Session,
  location: string,
  record: () => object,
  found: Found,
): Promise<void> {
  found.count += 1;
  if (found.exec.length > 0) {
    await output.flush();
    const words = found.exec.map((word) => word.replaceAll("{}", () => location));
    const problem = await runWith(words, signal);
    if (problem === undefined) return;
    found.failed += 1;
    output.itemError({ type: "failed", target: location }, problem);
  } else if (output.json) output.result(record());
  else if (found.null) await output.bytes(Buffer.from(`${location}\0`));
  else if (location.includes("\n") && !output.interactive) {
    found.failed += 1;
    const message = `${JSON.stringify(location)} has a line feed in its name`;
    const problem = usageError("LineFeed", message);
    output.itemError({ type: "failed", target: location }, problem);
  } else output.result({}, location);
}
