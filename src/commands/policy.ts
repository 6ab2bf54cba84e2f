import { BaseCommand } from "../cli/base.js";
import { runSetting, settingArgs } from "../cli/settings.js";

export default class PolicyCommand extends BaseCommand {
  static override summary = "Show, set or remove the policy of a bucket.";
  static override description =
    "The document is the policy itself, as JSON. For the common cases there is: pail anonymous. Exit code 3 when get finds none.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> set local/demo policy.json",
    "<%= config.bin %> <%= command.id %> get local/demo",
    "<%= config.bin %> <%= command.id %> remove local/demo",
  ];
  static override args = settingArgs(["get", "set", "remove"]);

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(PolicyCommand);
    await runSetting(session, "policy", args);
  }
}
