import { string as stringArg } from "@oclif/core/args";
import { boolean, string } from "@oclif/core/flags";

import { atFlag, contextAt } from "../cli/at-flag.js";
import { BaseCommand } from "../cli/base.js";
import {
  FILTER_RULES,
  filterFlags,
  noteIdlePatterns,
  readFilter,
  readSkipped,
  walkFlags,
} from "../cli/choice.js";
import { reportFlags } from "../cli/report-flag.js";
import { runDiff, runSync, side } from "../cli/run-sync.js";
import { compareFlags, preserveFlags, readPreserve } from "../cli/sync-flags.js";
import { headerFlags, objectHeaders, tuning, tuningFlags } from "../cli/transfer-flags.js";
import { AppError } from "../core/failures/errors.js";
import { parseDeleteLimit } from "../core/sync/guard.js";
import { readPlan } from "../core/sync/plan.js";

export default class Sync extends BaseCommand {
  static override summary = "Make one place like another: a directory, a bucket or a prefix.";
  static override description = `Copies what the target lacks and what differs; with --delete also removes what only the target has, after every copy has succeeded. A second run sends nothing twice.

Nothing is removed when anything could not be read, when the source is empty, or when more than half of the target and more than 100 objects would go (exit code 5). What is replaced or removed is exactly what was seen: what changed meanwhile stays, and is named.

--dry-run says what would be done; --plan saves it, and --apply does exactly that and nothing that has changed since.

${FILTER_RULES}`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> photos local/backup/photos",
    "<%= config.bin %> <%= command.id %> --delete --dry-run play/site ./site",
    "<%= config.bin %> <%= command.id %> --delete --backup play/old/site ./site play/site",
    "<%= config.bin %> <%= command.id %> --delete --plan changes.plan ./site play/site",
    "<%= config.bin %> <%= command.id %> --apply changes.plan",
  ];
  static override args = {
    source: stringArg({ description: "directory or alias/bucket/prefix", ignoreStdin: true }),
    target: stringArg({ description: "what is to become like it", ignoreStdin: true }),
  };
  static override flags = {
    delete: boolean({ description: "Remove what only the target has." }),
    "delete-limit": string({
      description: "Remove nothing if more would go. Default: 50%, once it is more than 100.",
      helpValue: "N|N%",
      dependsOn: ["delete"],
    }),
    "allow-empty-source": boolean({
      description: "Let an empty source empty the target.",
      dependsOn: ["delete"],
    }),
    backup: string({
      description: "Copy what is replaced or removed to a place below this one first.",
      helpValue: "PLACE",
    }),
    update: boolean({ description: "Replace nothing that is newer than what the source has." }),
    ...compareFlags,
    check: boolean({
      description: "Compare and copy nothing, as pail diff: 5 when they differ.",
      exclusive: ["delete", "plan", "apply", "dry-run"],
    }),
    "dry-run": boolean({ description: "Say what would be done; do nothing." }),
    plan: string({
      description: "Save what would be done to a file; do nothing.",
      helpValue: "FILE",
      exclusive: ["apply"],
    }),
    apply: string({
      description: "Do what a plan says, and nothing that has changed since.",
      helpValue: "FILE",
    }),
    ...reportFlags,
    ...atFlag,
    ...preserveFlags,
    ...filterFlags,
    ...walkFlags,
    ...headerFlags,
    ...tuningFlags,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Sync);
    const common = {
      ...objectHeaders(flags),
      ...tuning(flags),
      preserve: readPreserve(flags),
    };
    const { compare, update } = flags;
    const choice = { compare, update, keepDiffering: false, remove: flags.delete };
    if (flags.apply !== undefined) {
      if (args.source !== undefined) throw usage("a plan names its places itself");
      const { header, items } = readPlan(flags.apply);
      await runSync(
        session,
        {
          ...common,
          source: await side(session, header.source, "source"),
          target: await side(session, header.target, "target"),
          backup:
            header.backup === undefined ? undefined : await side(session, header.backup, "source"),
          choice,
          dryRun: flags["dry-run"],
          plan: items,
        },
        { report: flags.report },
      );
      return;
    }
    if (args.source === undefined || args.target === undefined) {
      throw usage("a source and a target are needed", "pail sync SOURCE TARGET");
    }
    const filter = await readFilter(flags);
    const then = { ...session, context: contextAt(session.context, flags.at) };
    const source = await side(then, args.source, "source");
    const target = await side(session, args.target, "target");
    if (flags.check) {
      const skipped = readSkipped(flags);
      return runDiff(session, { ...tuning(flags), source, target, compare, filter, skipped });
    }
    const request = {
      ...common,
      source,
      target,
      backup: flags.backup === undefined ? undefined : await side(session, flags.backup, "source"),
      choice,
      filter,
      skipped: readSkipped(flags),
      deleteLimit: deleteLimit(flags["delete-limit"]),
      allowEmptySource: flags["allow-empty-source"],
      dryRun: flags["dry-run"] || flags.plan !== undefined,
    };
    await runSync(session, request, { plan: flags.plan, report: flags.report });
    noteIdlePatterns(session.output, flags, filter);
  }
}

function deleteLimit(text: string | undefined) {
  if (text === undefined) return undefined;
  const limit = parseDeleteLimit(text);
  if (limit !== undefined) return limit;
  throw usage(`"${text}" is no limit of removals`, "write it as 500 or 10%");
}

function usage(message: string, hint?: string): AppError {
  return new AppError({ kind: "usage", code: "InvalidArgument", message, hint });
}
