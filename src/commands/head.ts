import { BaseCommand } from "../cli/base.js";
import { excerptArgs, excerptFlags, writeExcerpts } from "../cli/excerpt-command.js";
import { head } from "../core/operations/excerpt.js";

export default class Head extends BaseCommand {
  static override summary = "Write the first lines of objects.";
  static override description =
    "Reads no more than it needs. What is compressed, by its Content-Encoding or its name (.gz, .br), is expanded.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/demo/1.txt",
    "<%= config.bin %> <%= command.id %> -n 3 local/demo/1.txt local/demo/2.txt",
    "<%= config.bin %> <%= command.id %> -c 1KiB local/demo/1.txt",
  ];
  static override args = excerptArgs;
  static override flags = excerptFlags;

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Head);
    this.endWithReader();
    await writeExcerpts(session, args.objects, flags, head);
  }
}
