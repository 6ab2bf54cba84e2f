import { boolean } from "@oclif/core/flags";

import { any, examples } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { openTagTarget, showTags, tagFlags, tagTarget } from "../../cli/tag-target.js";
import { AppError, usageError } from "../../core/failures/errors.js";

export default class TagRemove extends BaseCommand {
  static override summary = "Remove tags of an object or a bucket.";
  static override description = "Removes the tags named, or with --all every one.";
  static override examples = examples({
    "local/demo/1.txt stage": "One tag",
    "--all local/demo": "All of a bucket's",
  });
  static override args = {
    target: tagTarget,
    names: any("names of tags"),
  };
  static override flags = { ...tagFlags, all: boolean({ description: "Remove every tag." }) };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(TagRemove);
    const names = new Set(args.names);
    const { all } = flags;
    if (all ? names.size > 0 : names.size === 0) {
      throw usageError(
        "MissingArgument",
        all ? "--all leaves no tag to name" : "no tag is named",
        "name the tags to remove, or give --all",
      );
    }
    const target = await openTagTarget(session, args.target, flags["version-id"]);
    const there = await target.get();
    const gone = [...names].find((name) => !Object.hasOwn(there, name));
    if (gone !== undefined) {
      throw new AppError({
        kind: "not-found",
        code: "NoSuchTag",
        message: `${target.location} has no tag "${gone}"; nothing was changed`,
      });
    }
    const tags = Object.fromEntries(
      Object.entries(there).filter(([name]) => !all && !names.has(name)),
    );
    await target.set(tags);
    showTags(session, target.location, tags);
  }
}
