import { string as stringArg } from "@oclif/core/args";
import { string } from "@oclif/core/flags";

import { BaseCommand } from "../cli/base.js";
import { remote } from "../cli/locations.js";
import { parseRange } from "../cli/units.js";

export default class Cat extends BaseCommand {
  static override summary = "Write objects to stdout.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/notes/todo.txt",
    "<%= config.bin %> <%= command.id %> local/logs/1.gz local/logs/2.gz | zcat",
    "<%= config.bin %> <%= command.id %> --range 0-99 local/logs/big.log",
  ];
  static override args = {
    objects: stringArg({
      description: "alias/bucket/key",
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    "version-id": string({ description: "This version.", helpValue: "ID" }),
    range: string({ description: "Only these bytes, the last included.", helpValue: "FIRST-LAST" }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(Cat);
    const range = flags.range === undefined ? undefined : parseRange(flags.range);
    for (const text of args.objects) {
      const { alias, bucket, key } = await remote(context, text, "key");
      const storage = await context.bucket(alias, bucket);
      const options = { versionId: flags["version-id"], range, signal };
      const { body } = await storage.read(key, options);
      for await (const chunk of body) await output.bytes(chunk);
    }
  }
}
