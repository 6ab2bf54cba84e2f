import { examples } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { runSetting, settingArgs } from "../cli/settings.js";

export default class PolicyCommand extends BaseCommand {
  static override summary = "Show, set or remove the policy of a bucket.";
  static override description =
    "The document is the policy itself, as JSON. For the common cases there is: pail anonymous.";
  static override examples = examples({
    "set local/demo policy.json": "Set the policy of a file",
    "get local/demo": "Show it",
    "remove local/demo": "Take it away",
  });
  static override args = settingArgs(["get", "set", "remove"]);

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(PolicyCommand);
    await runSetting(session, "policy", args);
  }
}
