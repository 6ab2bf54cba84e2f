import { readFileSync } from "node:fs";

import { examples, one, optional } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import {
  IMPORT_SOURCES,
  importAliases,
  importFile,
  type ImportSource,
} from "../../core/config/import.js";
import { localError } from "../../core/failures/local.js";

export default class AliasImport extends BaseCommand {
  static override summary = "Take over the aliases of another tool.";
  static override description = `Reads mc's config.json, the AWS tools' credentials or config, or rclone.conf, from where the tool keeps it or from FILE. An alias that pail has already stays as it is, and what cannot be an alias is named. Nothing is sent, so nothing is checked: pail ping NAME does that.`;
  static override examples = examples({
    mc: "Take over mc's aliases",
    "rclone ./rclone.conf": "Take over the S3 remotes of a file of rclone's",
  });
  static override args = {
    from: one(IMPORT_SOURCES.join(", "), IMPORT_SOURCES),
    file: optional("its file; default: where it is kept"),
  };

  async run(): Promise<void> {
    const { args, context, output } = await this.open(AliasImport);
    const from = args.from as ImportSource;
    const file = args.file ?? importFile(from, context.env);
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch (error) {
      throw localError(error, "read", file);
    }
    const entries = importAliases(from, text);
    const skip = (name: string, reason: string) =>
      output.result({ type: "alias-skipped", name, from, reason }, `skipped ${name}: ${reason}`);
    for (const entry of entries) {
      const { name } = entry;
      if ("reason" in entry) skip(name, entry.reason);
      else if ((await context.aliasNames()).has(name)) skip(name, "there is an alias of that name");
      else {
        await context.saveAlias(name, entry.alias);
        const { url } = entry.alias;
        output.result({ type: "alias-imported", name, url, from }, `imported ${name} ${url}`);
      }
    }
    if (entries.length === 0) output.note(`${file} names nothing to import`);
  }
}
