import { examples } from "../../cli/args.js";
import { VersioningCommand } from "../../cli/versioning.js";

export default class VersionStatus extends VersioningCommand {
  static override summary = "Show whether buckets keep versions.";
  static override examples = examples({ "local/demo": "Whether versions are kept" });
  static override description = "It is enabled, suspended or never enabled.";
}
