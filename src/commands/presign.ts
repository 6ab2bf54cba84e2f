import { string as stringArg } from "@oclif/core/args";
import { boolean } from "@oclif/core/flags";

import { BaseCommand } from "../cli/base.js";
import { printLinks, sharingFlags } from "../cli/sharing.js";

export default class Presign extends BaseCommand {
  static override summary = "Print URLs that anybody can use for a while.";
  static override description =
    "The URL carries the signature: who has it can read (or, with --upload, write) this object until it expires, without credentials. Whether the object is there is not checked; the service is asked for the time alone.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/photos/cat.jpg",
    "<%= config.bin %> <%= command.id %> --expires 7d play/photos/cat.jpg",
    "<%= config.bin %> <%= command.id %> -r local/photos/2025/",
    '$ curl -T cat.jpg "$(<%= config.bin %> <%= command.id %> --upload play/photos/cat.jpg)"',
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
    ...sharingFlags,
    upload: boolean({
      description: "A URL to write to, not to read from.",
      exclusive: ["recursive"],
    }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Presign);
    await printLinks(session, args.objects, flags, flags.upload ? "PUT" : "GET");
  }
}
