import { examples } from "../../cli/args.js";
import { VersioningCommand } from "../../cli/versioning.js";

export default class VersionSuspend extends VersioningCommand {
  static override summary = "Keep no further versions in buckets.";
  static override examples = examples({ "local/demo": "Keep no further ones" });
  static override description =
    'The versions there are stay; "pail rm -r --versions" removes them.';
  protected override readonly state = "Suspended";
}
