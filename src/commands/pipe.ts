import { string as stringArg } from "@oclif/core/args";

import Copy from "./cp.js";

export default class Pipe extends Copy {
  static override summary = "Store stdin as an object; cp - TARGET, as mc calls it.";
  static override description = "The flags are those of cp.";
  static override examples = ["$ tar c . | <%= config.bin %> <%= command.id %> local/demo/all.tar"];
  static override args = {
    target: stringArg({ description: "alias/bucket/key", required: true, ignoreStdin: true }),
  } as never;

  override async run(): Promise<void> {
    this.argv.unshift("-");
    await super.run();
  }
}
