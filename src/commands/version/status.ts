import { BaseCommand } from "../../cli/base.js";
import { showVersioning, versioningArgs } from "../../cli/versioning.js";

export default class VersionStatus extends BaseCommand {
  static override summary = "Show whether buckets keep versions.";
  static override description = "It is enabled, suspended or never enabled.";
  static override examples = ["<%= config.bin %> <%= command.id %> local/demo"];
  static override args = versioningArgs;

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(VersionStatus);
    await showVersioning(session, args.buckets);
  }
}
