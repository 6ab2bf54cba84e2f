import { examples, many, one } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { abortable } from "../cli/interrupt.js";
import { remote } from "../cli/locations.js";
import { settingsOf } from "../cli/settings.js";
import { usageError } from "../core/failures/errors.js";
import {
  accessOf,
  type AnonymousAccess,
  type Policy,
  withAccess,
} from "../core/operations/anonymous.js";

const ACCESS: readonly AnonymousAccess[] = ["download", "upload", "public", "none"];

export default class Anonymous extends BaseCommand {
  static override summary = "Say what everybody may do without credentials.";
  static override description = `"download" lets everybody read the objects below a bucket or prefix who knows their keys, "upload" lets everybody write them, "public" both; "none" takes that back. Nobody may list. It is kept as statements of the bucket's policy, whose others stay as they are.`;
  static override examples = examples({
    "set download local/demo/web/": "Everybody may read what is below web/",
    "get local/demo/web/": "Show what everybody may do there",
    "set none local/demo/web/": "Nobody may any more",
  });
  static override args = {
    action: one("what to do", ["get", "set"]),
    words: many("for set: download, upload, public or none; then alias/bucket[/prefix]"),
  };

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(Anonymous);
    const { context, output, signal } = session;
    const sets = args.action === "set";
    const [first = "", second = ""] = args.words;
    const wanted = sets ? ACCESS.find((access) => access === first) : undefined;
    if (args.words.length !== (sets ? 2 : 1) || (sets && wanted === undefined)) {
      throw usageError(
        "InvalidUsage",
        sets ? `"${first}" is none of ${ACCESS.join(", ")}` : "name one bucket or prefix",
        "pail anonymous set download ALIAS/BUCKET/PREFIX",
      );
    }
    const { alias, bucket, key } = await remote(context, sets ? second : first, "bucket");
    const { settings } = await settingsOf(session, `${alias}/${bucket}`);
    const location = `${alias}/${bucket}${key === "" ? "" : `/${key}`}`;
    const policy = (await abortable(settings.get("policy", bucket), signal)) as Policy | undefined;
    if (wanted !== undefined) {
      const changed = withAccess(policy, bucket, key, wanted);
      if (changed !== undefined) await abortable(settings.set("policy", bucket, changed), signal);
      else if (policy !== undefined) await abortable(settings.remove("policy", bucket), signal);
    }
    const access = wanted ?? accessOf(policy, bucket, key);
    output.result({ type: "anonymous", location, access }, `${location}: ${access}`);
  }
}
