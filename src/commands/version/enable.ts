import { BaseCommand } from "../../cli/base.js";
import { showVersioning, versioningArgs } from "../../cli/versioning.js";

export default class VersionEnable extends BaseCommand {
  static override summary = "Keep every version of the objects in buckets.";
  static override description =
    "What is replaced or removed from now on stays as an older version, and takes space.";
  static override examples = ["<%= config.bin %> <%= command.id %> local/demo"];
  static override args = versioningArgs;

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(VersionEnable);
    await showVersioning(session, args.buckets, "Enabled");
  }
}
