import { boolean } from "@oclif/core/flags";

import { examples, optional } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";

export default class Tui extends BaseCommand {
  static override summary = "Open the console: a full-screen view of buckets and objects.";
  static override description =
    "Browse, upload, download, preview, share, tag, copy and delete without leaving the terminal. ? shows the keys, : every command. Without an argument the console opens where it was left.";
  static override examples = examples({
    "$ pail": "All aliases",
    local: "Begin at an alias",
    "play/photos/2026/": "Begin at a prefix",
    "play --readonly": "Change nothing",
    "local --plain": "In lines, for a screen reader",
  });
  static override args = { place: optional("alias[/bucket[/prefix]] to open") };
  static override flags = {
    readonly: boolean({ description: "Disable everything that changes what is stored." }),
    plain: boolean({
      description: "Read and write lines, for a screen reader; so it is where TERM is dumb.",
    }),
  };

  // Quitting waits until unfinished uploads are aborted.
  protected override readonly graceMs = Number.POSITIVE_INFINITY;

  async run(): Promise<void> {
    const { args, flags, context } = await this.open(Tui);
    const { runConsole } = await import("../tui/index.js");
    await runConsole({
      context,
      place: args.place,
      readonly: flags.readonly,
      plain: flags.plain,
      stdin: process.stdin,
      stdout: process.stdout,
    });
  }
}
