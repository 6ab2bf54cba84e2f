import { examples } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { runSetting, settingArgs } from "../cli/settings.js";

export default class Cors extends BaseCommand {
  static override summary = "Show, set or remove the CORS rules of a bucket.";
  static override description =
    'The document is JSON as the AWS tools have it: {"CORSRules": [{"AllowedOrigins": ["*"], "AllowedMethods": ["GET"]}]}.';
  static override examples = examples({
    "set local/demo cors.json": "Set the rules of a file",
    "get local/demo": "Show them",
    "remove local/demo": "Take them away",
  });
  static override args = settingArgs(["get", "set", "remove"]);

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(Cors);
    await runSetting(session, "cors", args);
  }
}
