import { examples } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { openTagTarget, showTags, tagFlags, tagTarget } from "../../cli/tag-target.js";

export default class TagList extends BaseCommand {
  static override summary = "Show the tags of an object or a bucket.";
  static override examples = examples({
    "local/demo/1.txt": "An object's",
    "--json local/demo": "A bucket's, for a program",
  });
  static override args = { target: tagTarget };
  static override flags = tagFlags;

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(TagList);
    const target = await openTagTarget(session, args.target, flags["version-id"]);
    showTags(session, target.location, await target.get());
  }
}
