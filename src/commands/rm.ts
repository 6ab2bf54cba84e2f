import { string as stringArg } from "@oclif/core/args";
import { boolean, integer, string } from "@oclif/core/flags";

import { BaseCommand } from "../cli/base.js";
import { confirmRecursion, removals, withStdin } from "../cli/removals.js";
import { showTransfer } from "../cli/transfer-view.js";
import { AppError, isAppError } from "../core/failures/errors.js";
import { remove } from "../core/operations/remove.js";
import type { TransferReport } from "../core/engine/report.js";

export default class Remove extends BaseCommand {
  static override summary = "Remove objects.";
  static override description = `A key is exact: "rm local/b/dir/" removes the one object of that name. "rm -r local/b/foo" removes "foo" and what is below "foo/", never "foobar". As S3 has it, removing a key that is not there succeeds.

Recursion asks first; where nobody can be asked it needs --force. In a versioned bucket a removal only adds a delete marker, unless --versions or --version-id is given.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/demo/1.txt local/demo/2.txt",
    "<%= config.bin %> <%= command.id %> -r --dry-run local/demo/photos",
    "<%= config.bin %> <%= command.id %> -r --force local/demo/photos",
    "<%= config.bin %> <%= command.id %> -r --versions --force local/demo/photos",
    "<%= config.bin %> <%= command.id %> --stdin --force < keys.txt",
  ];
  static override args = {
    targets: stringArg({
      description: "alias/bucket/key",
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    recursive: boolean({ char: "r", description: "Remove everything below as well." }),
    force: boolean({ description: "Do not ask." }),
    "dry-run": boolean({ description: "Say what would be removed; remove nothing." }),
    versions: boolean({ description: "Remove every version and delete marker." }),
    "version-id": string({
      description: "Remove this version.",
      helpValue: "ID",
      exclusive: ["recursive", "versions", "stdin"],
    }),
    stdin: boolean({ description: "Read more targets from stdin, one a line." }),
    concurrency: integer({ description: "Batches in flight at most.", min: 1, max: 1024 }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(Remove);
    const named = args.targets ?? [];
    if (named.length === 0 && !flags.stdin) throw missingTarget();
    if (flags.recursive && !flags["dry-run"]) await confirmRecursion(named, flags, signal);
    const targets = withStdin(named, flags.stdin);
    const options = {
      dryRun: flags["dry-run"],
      concurrency: flags.concurrency,
      signal,
    };
    await showTransfer(output, async (follow) => {
      const failures: Failure[] = [];
      for await (const removal of removals(context, targets, flags)) {
        try {
          failures.push(...(await remove({ ...removal, ...options, ...follow })).failures);
        } catch (error) {
          // With --force it is enough that nothing is there.
          if (!(flags.force && isAppError(error) && error.code === "NoSuchKey")) throw error;
        }
      }
      return { failures, left: [] };
    });
  }
}

type Failure = TransferReport["failures"][number];

function missingTarget(): AppError {
  return new AppError({
    kind: "usage",
    code: "MissingArgument",
    message: "missing argument: TARGETS",
    hint: "name objects as alias/bucket/key, or pipe them in with --stdin",
  });
}
