import { boolean } from "@oclif/core/flags";

import { examples, many } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { openTagTarget, showTags, tagFlags, tagTarget } from "../../cli/tag-target.js";
import { parsePairs } from "../../text/units.js";

export default class TagSet extends BaseCommand {
  static override summary = "Add tags to an object or a bucket.";
  static override description =
    "Tags of the same name are replaced, the others stay; --replace leaves only those given. S3 has no way to change one tag alone: another program that sets tags at the same time may undo this.";
  static override examples = examples({
    "local/demo/1.txt stage=raw owner=me": "Add two, and leave the others",
    "--replace local/demo team=web": "Leave only this one",
  });
  static override args = {
    target: tagTarget,
    tags: many("NAME=VALUE"),
  };
  static override flags = {
    ...tagFlags,
    replace: boolean({ description: "Remove all other tags." }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(TagSet);
    const given = parsePairs(args.tags, "tag");
    const target = await openTagTarget(session, args.target, flags["version-id"]);
    const tags = { ...(flags.replace ? {} : await target.get()), ...given };
    await target.set(tags);
    showTags(session, target.location, tags);
  }
}
