import { BaseCommand } from "../cli/base.js";
import { runSetting, settingArgs } from "../cli/settings.js";

export default class Cors extends BaseCommand {
  static override summary = "Show, set or remove the CORS rules of a bucket.";
  static override description =
    'The document is JSON as the AWS tools have it: {"CORSRules": [{"AllowedOrigins": ["*"], "AllowedMethods": ["GET"]}]}. Exit code 3 when get finds none.';
  static override examples = [
    "<%= config.bin %> <%= command.id %> set local/demo cors.json",
    "<%= config.bin %> <%= command.id %> get local/demo",
    "<%= config.bin %> <%= command.id %> remove local/demo",
  ];
  static override args = settingArgs(["get", "set", "remove"]);

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(Cors);
    await runSetting(session, "cors", args);
  }
}
