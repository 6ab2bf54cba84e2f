import { boolean, integer } from "@oclif/core/flags";

import { any, examples, valueFlag } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { payerFlag } from "../cli/transfer-flags.js";
import { jobOf, reportFlags, withReport } from "../cli/report-flag.js";
import {
  FILTER_RULES,
  filterFlags,
  noteIdlePatterns,
  readFilter,
  requireChoice,
} from "../cli/choice.js";
import { requireOne } from "../cli/locations.js";
import { toProblem } from "../cli/problem.js";
import {
  confirmRecursion,
  decided,
  type Removal,
  removals,
  targetName,
  withStdin,
} from "../cli/removals.js";
import { patternFlags } from "../cli/taking.js";
import { showTransfer } from "../cli/transfer-view.js";
import type { TransferReport } from "../core/engine/report.js";
import { createRun } from "../core/engine/run.js";
import { factsOf } from "../core/failures/codes.js";
import { AppError, isAppError, usageError } from "../core/failures/errors.js";
import { remove } from "../core/operations/remove.js";
import type { RemoveRequest } from "../core/operations/types.js";
import type { Ref } from "../core/ref.js";

export default class Remove extends BaseCommand {
  static override summary = "Remove objects.";
  static override description = `A key is exact: "rm local/b/dir/" removes the one object of that name. "rm -r local/b/foo" removes "foo" and what is below "foo/", never "foobar". A missing key is a note, not an error; but a missing key that looks like a pattern is an error: add --pattern. On a terminal rm shows what such a key matches, and asks. A target that fails does not stop the others.

Recursion asks first; where nobody can be asked it needs --force. In a versioned bucket a removal only adds a delete marker, unless --versions or --version-id is given.

${FILTER_RULES}`;
  static override examples = examples({
    "local/demo/1.txt local/demo/2.txt": "Remove objects",
    "-r --dry-run local/demo/photos": "Show what would be removed",
    "-r --force local/demo/photos": "Remove it, without a question",
    "-r --include '*.tmp' --force local/demo": "Remove what matches, and leave the rest",
    "-r --versions --force local/demo/photos": "Remove every version, for good",
    "--stdin --force < keys.txt": "Remove what a list names",
  });
  static override args = { targets: any("alias/bucket/key") };
  static override flags = {
    recursive: boolean({ char: "r", description: "Remove everything below as well." }),
    force: boolean({ description: "Do not ask." }),
    "dry-run": boolean({ description: "Say what would be removed; remove nothing." }),
    versions: boolean({ description: "Remove every version and delete marker." }),
    "version-id": valueFlag("Remove this version.", "ID", {
      exclusive: ["recursive", "versions", "stdin"],
    }),
    ...patternFlags,
    ...reportFlags,
    stdin: boolean({ description: "Read more targets from stdin, one a line." }),
    ...filterFlags,
    ...payerFlag,
    concurrency: integer({ description: "Batches in flight at most.", min: 1, max: 1024 }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Remove);
    const { context, output, signal } = session;
    const named = args.targets ?? [];
    if (named.length === 0 && !flags.stdin) throw missingTarget();
    requireOne(named, flags["version-id"]);
    const filter = await readFilter(context, flags, named);
    const listed = filter.names !== undefined;
    const recursive = flags.recursive || listed;
    const chosen = { ...flags, recursive, filter };
    const targets = await decided(session, named, chosen);
    const patterns = targets.some(({ place }) => place?.pattern !== undefined);
    requireChoice(filter, recursive || patterns, named);
    // A list of exact names is as good as a word for each.
    if (flags.recursive && !listed && !flags["dry-run"]) {
      await confirmRecursion(targets, chosen, signal);
    }
    const given = withStdin(targets, flags.stdin, flags.null ? "\0" : "\n");
    const options = { dryRun: flags["dry-run"], concurrency: flags.concurrency, signal };
    const all = removals(context, given, chosen, signal);
    await withReport(session, flags.report, jobOf("rm", this.argv, filter), (tee) =>
      showTransfer(output, (follow) =>
        removeEach(all, { ...options, ...tee(follow) }, flags.force),
      ),
    );
    noteIdlePatterns(output, flags, filter);
  }
}

/** Removes one after the other, and goes on past whatever fails. Resolves with the first failure. */
async function removeEach(
  all: AsyncIterable<Removal>,
  options: Omit<RemoveRequest, "alias" | "storage" | "targets">,
  force: boolean,
): Promise<Pick<TransferReport, "failures" | "left">> {
  const failures: TransferReport["failures"][number][] = [];
  let underway: Map<string, Ref> | undefined;
  const onEvent: RemoveRequest["onEvent"] = (event, snapshot) => {
    if (event.type === "failed") failures[0] ??= event;
    if ("item" in event && event.item.target.type === "object") {
      underway?.delete(targetName(event.item.target));
    }
    options.onEvent?.(event, snapshot);
  };
  const run = createRun({ ...options, onEvent });
  const settle = (target: Ref, planned: number, error?: unknown) => {
    run.emit({ type: "planned", items: planned, bytes: 0 });
    const item = run.item({ action: "remove", source: undefined, target, size: undefined });
    if (error === undefined) run.emit({ type: "skipped", item, reason: "missing" });
    else run.emit({ type: "failed", item, error: toProblem(error, "pail rm") });
  };
  for await (const removal of all) {
    if (removal.type === "missing") settle(removal.target, 1);
    else if (removal.type === "failed") settle(removal.target, 1, removal.error);
    else {
      ({ underway } = removal);
      try {
        await remove({ ...options, ...removal.request, onEvent });
      } catch (error) {
        if (options.signal?.aborted) throw error;
        // With --force it is enough that nothing is there.
        const nothing = isAppError(error) && error.code === "NoSuchKey";
        // Credentials that end mean the end for every target.
        if (isAppError(error) && error.kind === "denied" && factsOf(error.code)?.endsRun)
          throw error;
        if (removal.prefix === undefined)
          for (const ref of underway.values()) settle(ref, 0, error);
        else if (!force || !nothing) settle(removal.prefix, 1, error);
      }
    }
  }
  return { failures, left: run.report().left };
}

function missingTarget(): AppError {
  return usageError(
    "MissingArgument",
    "missing argument: TARGETS",
    "name objects as alias/bucket/key, or pipe them in with --stdin",
  );
}
