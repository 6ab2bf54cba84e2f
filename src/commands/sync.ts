import { boolean } from "@oclif/core/flags";

import { examples, optional, valueFlag } from "../cli/args.js";
import { atFlag } from "../cli/at-flag.js";
import { BaseCommand } from "../cli/base.js";
import { FILTER_RULES } from "../cli/choice.js";
import { reportFlags } from "../cli/report-flag.js";
import { runDiff, runFlags, runOptions, runPlaces, runSync, side, sides } from "../cli/run-sync.js";
import { compareFlags } from "../cli/sync-flags.js";
import { invalidArgument } from "../core/failures/errors.js";
import { isChoosing } from "../core/filter.js";
import { parseDeleteLimit } from "../core/sync/guard.js";
import { readPlan } from "../core/sync/plan.js";

export default class Sync extends BaseCommand {
  static override summary = "Make one place like another: a directory, a bucket or a prefix.";
  static override description = `Copies what the target lacks and what differs; with --delete also removes what only the target has, after every copy has succeeded. A second run sends nothing twice.

Nothing is removed when anything could not be read, when the source is empty, or when more than half of the target and more than 100 objects would go (exit code 5). Only the very object that was seen is replaced or removed: one that changed meanwhile stays, and is named.

--dry-run says what would be done; --plan saves it, and --apply does exactly that and nothing that has changed since. --watch keeps the target like the source: it waits for changes of a directory, looks at a bucket now and then, goes on after failures, and ends when it is interrupted.

${FILTER_RULES}`;
  static override examples = examples({
    "photos local/backup/photos": "Upload what is new or changed",
    "--delete --dry-run play/site ./site": "Show all changes first, removals included",
    "--delete --backup play/old/site ./site play/site":
      "Keep what is replaced or removed below a prefix",
    "--delete --plan changes.plan ./site play/site": "Save the changes, to be read first",
    "--apply changes.plan": "Do just what was saved",
    "--watch ./site play/site": "Go on with every change",
  });
  static override args = {
    source: optional("directory or alias/bucket/prefix"),
    target: optional("what is to become like it"),
  };
  static override flags = {
    delete: boolean({ description: "Remove what only the target has." }),
    "delete-limit": valueFlag(
      "Remove nothing if more would go. Default: 50%, once it is more than 100.",
      "N|N%",
      { dependsOn: ["delete"] },
    ),
    "allow-empty-source": boolean({
      description: "Let an empty source empty the target.",
      dependsOn: ["delete"],
    }),
    backup: valueFlag("Copy what is replaced or removed to a place below this one first.", "PLACE"),
    update: boolean({ description: "Replace nothing that is newer than what the source has." }),
    ...compareFlags,
    check: boolean({
      description: "Compare and copy nothing, as pail diff: 5 when they differ.",
      exclusive: ["delete", "plan", "apply", "dry-run", "report"],
    }),
    plan: valueFlag("Save what would be done to a file; do nothing.", "FILE", {
      exclusive: ["apply", "report"],
    }),
    apply: valueFlag("Do what a plan says, and nothing that has changed since.", "FILE"),
    ...reportFlags,
    ...atFlag,
    ...runFlags,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Sync);
    const { compare, update } = flags;
    const choice = { compare, update, keepDiffering: false, remove: flags.delete };
    const options = { ...(await runOptions(session, flags, [args.source, args.target])), choice };
    const kept = async (text: string | undefined) =>
      text === undefined ? undefined : side(session, text, "source");
    if (flags.apply !== undefined) {
      if (args.source !== undefined) throw invalidArgument("a plan names its places itself");
      if (isChoosing(options.filter)) throw invalidArgument("a plan names what it takes itself");
      const { header, items } = readPlan(flags.apply);
      const source = await side(session, header.source, "source");
      const target = await side(session, header.target, "target");
      const backup = await kept(header.backup);
      const request = { ...options, source, target, backup, plan: items };
      return runSync(session, request, { report: flags.report });
    }
    if (args.source === undefined || args.target === undefined) {
      throw invalidArgument("a source and a target are needed", "pail sync SOURCE TARGET");
    }
    if (flags.shard !== undefined && /^\d+$/.test(flags["delete-limit"] ?? "")) {
      throw invalidArgument(
        "--delete-limit with --shard is a share of the shard's range",
        "write it as 10%",
      );
    }
    const { source, target } = await sides(session, args.source, args.target, flags);
    if (flags.check) return runDiff(session, { ...options, source, target, compare });
    await runPlaces(
      session,
      flags,
      {
        ...options,
        source,
        target,
        backup: await kept(flags.backup),
        deleteLimit: deleteLimit(flags["delete-limit"]),
        allowEmptySource: flags["allow-empty-source"],
        dryRun: flags["dry-run"] || flags.plan !== undefined,
      },
      { plan: flags.plan, report: flags.report, argv: this.argv },
    );
  }
}

function deleteLimit(text: string | undefined) {
  if (text === undefined) return undefined;
  const limit = parseDeleteLimit(text);
  if (limit !== undefined) return limit;
  throw invalidArgument(`"${text}" is no limit of removals`, "write it as 500 or 10%");
}
