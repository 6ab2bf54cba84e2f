import { BaseCommand } from "../../cli/base.js";
import { showVersioning, versioningArgs } from "../../cli/versioning.js";

export default class VersionSuspend extends BaseCommand {
  static override summary = "Keep no further versions in buckets.";
  static override description =
    'The versions there are stay; "pail rm -r --versions" removes them.';
  static override examples = ["<%= config.bin %> <%= command.id %> local/demo"];
  static override args = versioningArgs;

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(VersionSuspend);
    await showVersioning(session, args.buckets, "Suspended");
  }
}
