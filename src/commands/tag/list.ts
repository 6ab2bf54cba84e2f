import { BaseCommand } from "../../cli/base.js";
import { openTagTarget, showTags, tagFlags, tagTarget } from "../../cli/tag-target.js";

export default class TagList extends BaseCommand {
  static override summary = "Show the tags of an object or a bucket.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/demo/1.txt",
    "<%= config.bin %> <%= command.id %> --json local/demo",
  ];
  static override args = { target: tagTarget };
  static override flags = tagFlags;

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(TagList);
    const target = await openTagTarget(session, args.target, flags["version-id"]);
    showTags(session, target.location, await target.get());
  }
}
