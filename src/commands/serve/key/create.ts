import { boolean, string } from "@oclif/core/flags";

import { examples } from "../../../cli/args.js";
import { BaseCommand } from "../../../cli/base.js";
import { readSecret } from "../../../cli/prompt.js";

export default class KeyCreate extends BaseCommand {
  static override summary = "Make an access key for the embedded store.";
  static override description = `The secret is shown now and never again. Missing parts are made up; a secret is given on stdin, because a command line can be read by every process of the machine.`;
  static override examples = examples({
    "": "Make a key, and show its secret once",
    "--description laptop --json": "For a laptop, for a program",
    "--read-only --bucket photos,logs": "One that may only read two buckets",
    "$ echo $SECRET | pail serve key create --access-key ci-runner --secret-key-stdin":
      "With a secret of your own",
  });
  static override flags = {
    "access-key": string({ description: "Its id.", helpValue: "ID" }),
    "secret-key-stdin": boolean({ description: "Read the secret key from stdin." }),
    "read-only": boolean({ description: "It may list and get, and change nothing." }),
    bucket: string({
      description: "The only buckets it reaches.",
      helpValue: "NAME,…",
      multiple: true,
    }),
    description: string({ description: "A note on its purpose." }),
  };

  async run(): Promise<void> {
    const { flags, context, output } = await this.open(KeyCreate);
    const given = flags["secret-key-stdin"] ? await readSecret() : undefined;
    const { keys } = await context.store();
    const { accessKeyId, secretAccessKey, created, readOnly, buckets } = await keys.create({
      description: flags.description,
      accessKeyId: flags["access-key"],
      secretAccessKey: given,
      readOnly: flags["read-only"] || undefined,
      buckets: flags.bucket?.flatMap((names) => names.split(",").map((name) => name.trim())),
    });
    // A secret that was given is not shown.
    const secret = given === undefined ? secretAccessKey : undefined;
    output.result(
      {
        type: "access-key",
        accessKeyId,
        ...(secret === undefined ? {} : { secretAccessKey: secret }),
        created: created.toISOString(),
        ...(readOnly === true ? { readOnly } : {}),
        ...(buckets === undefined ? {} : { buckets }),
      },
      [`access key  ${accessKeyId}`, ...(secret === undefined ? [] : [`secret key  ${secret}`])],
    );
    if (secret !== undefined) output.note("the secret is not shown again");
  }
}
