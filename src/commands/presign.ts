import { string as stringArg } from "@oclif/core/args";
import { boolean, string } from "@oclif/core/flags";

import { literalFlag, objectNames } from "../cli/address.js";
import { BaseCommand } from "../cli/base.js";
import { remote, requireOne } from "../cli/locations.js";
import { forEachTarget } from "../cli/several.js";
import { parseDuration } from "../text/units.js";
import { AppError } from "../core/failures/errors.js";
import { SERVED_AT, share } from "../core/operations/share.js";

const WEEK = 604_800;

export default class Presign extends BaseCommand {
  static override summary = "Print URLs that anybody can use for a while.";
  static override description =
    "The URL carries the signature: who has it can read (or, with --upload, write) this object until it expires, without credentials. Nothing is sent, so nothing is checked.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/photos/cat.jpg",
    "<%= config.bin %> <%= command.id %> --expires 7d play/photos/cat.jpg",
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
    expires: string({
      description: "How long the URL works: 15m, 12h; at most 7d.",
      default: "1h",
    }),
    address: string({
      description: "Where the embedded store is served, for an object of the alias local.",
      helpValue: "HOST:PORT",
      default: SERVED_AT,
    }),
    upload: boolean({ description: "A URL to write to, not to read from." }),
    ...literalFlag,
    "version-id": string({ description: "This version.", helpValue: "ID", exclusive: ["upload"] }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Presign);
    const { context, output } = session;
    const versionId = flags["version-id"];
    requireOne(args.objects, versionId);
    const seconds = parseDuration(flags.expires);
    if (seconds < 1 || seconds > WEEK) {
      throw new AppError({
        kind: "usage",
        code: "InvalidArgument",
        message: `a URL cannot work for ${flags.expires}`,
        hint: "between 1s and 7d",
      });
    }
    const method = flags.upload ? "PUT" : "GET";
    const named = flags.upload ? args.objects : await objectNames(session, args.objects, flags);
    await forEachTarget(session, named, async (text) => {
      const { alias, bucket, key } = await remote(context, text, "key");
      const { url, note } = await share({
        alias: await context.alias(alias),
        connect: (reached) => context.connect(reached),
        bucket,
        key,
        versionId,
        method,
        seconds,
        servedAt: flags.address,
      });
      if (note !== undefined) output.note(note);
      const expires = new Date(Date.now() + seconds * 1000).toISOString();
      const location = `${alias}/${bucket}/${key}`;
      output.result({ type: "presigned", location, method, url: url.href, expires }, url.href);
    });
  }
}
