import { boolean } from "@oclif/core/flags";

import { examples, many } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { printLinks, sharingFlags } from "../cli/sharing.js";

export default class Presign extends BaseCommand {
  static override summary = "Print URLs that anybody can use for a while.";
  static override description =
    "The URL carries the signature: anybody who has it can read (or, with --upload, write) this object until it expires, without credentials. Whether the object is there is not checked; the service is asked for the time alone.";
  static override examples = examples({
    "local/photos/cat.jpg": "A URL to read, for an hour",
    "--expires 7d play/photos/cat.jpg": "For a week",
    "-r local/photos/2025/": "Of every object below a prefix",
    '$ curl -T cat.jpg "$(pail presign --upload play/photos/cat.jpg)"':
      "Upload with curl, without credentials",
  });
  static override args = { objects: many("alias/bucket/key") };
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
