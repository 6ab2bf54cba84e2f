import { examples } from "../../cli/args.js";
import { VersioningCommand } from "../../cli/versioning.js";

export default class VersionEnable extends VersioningCommand {
  static override summary = "Keep every version of the objects in buckets.";
  static override examples = examples({ "local/demo": "Keep versions from now on" });
  static override description =
    "From now on every replaced or removed object stays as an older version, and takes space.";
  protected override readonly state = "Enabled";
}
