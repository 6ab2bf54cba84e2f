import { randomUUID } from "node:crypto";

import { integer, string } from "@oclif/core/flags";

import { examples } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { abortable } from "../cli/interrupt.js";
import { noSetting, runSetting, settingArgs, settingsOf } from "../cli/settings.js";
import { AppError, usageError } from "../core/failures/errors.js";
import { describeRule, type LifecycleRule, toRule } from "../core/operations/lifecycle-rules.js";
import { parsePairs } from "../text/units.js";

export default class Ilm extends BaseCommand {
  static override summary = "Show and change the lifecycle rules of a bucket.";
  static override description =
    'A rule says what the service removes or moves by itself, and when. "list" shows a rule a line, "add" adds one and "drop" takes one away by --id; "get", "set" and "remove" work on the whole document, JSON as the AWS tools have it. The service holds all rules as one document, so of two who change them at the same time one may lose.';
  static override examples = examples({
    "add local/demo --prefix logs/ --expire-days 30": "Remove what is below logs/ after 30 days",
    "add local/demo --id tidy --abort-days 3 --noncurrent-days 90":
      "Tidy up: unfinished uploads and old versions",
    "list local/demo": "The rules, a line each",
    "drop local/demo --id tidy": "Take a rule away",
    "get local/demo": "The rules as the service has them, to be edited and set",
  });
  static override args = settingArgs(["list", "add", "drop", "get", "set", "remove"]);
  static override flags = {
    id: string({ description: "Name of the rule. Default for add: a made-up one." }),
    prefix: string({ description: "Only objects below this prefix." }),
    tag: string({
      description: "Only objects with this tag; may be repeated.",
      helpValue: "NAME=VALUE",
      multiple: true,
      multipleNonGreedy: true,
    }),
    "expire-days": integer({ description: "Days until objects are removed.", min: 1 }),
    "noncurrent-days": integer({ description: "Days until older versions are removed.", min: 1 }),
    "abort-days": integer({ description: "Days until unfinished uploads are removed.", min: 1 }),
    "transition-days": integer({
      description: "Days until objects move to --class.",
      min: 0,
      dependsOn: ["class"],
    }),
    class: string({ description: "Storage class they move to.", dependsOn: ["transition-days"] }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Ilm);
    const { action, target } = args;
    if (["get", "set", "remove"].includes(action)) return await runSetting(session, "ilm", args);
    const { output, signal } = session;
    const { alias, bucket, settings } = await settingsOf(session, target);
    const location = `${alias}/${bucket}`;
    const document = await abortable(settings.get("ilm", bucket), signal);
    const rules = (document as { Rules?: LifecycleRule[] } | undefined)?.Rules ?? [];
    const id = flags.id ?? (action === "add" ? `pail-${randomUUID().slice(0, 8)}` : undefined);
    if (action === "list") {
      if (rules.length === 0 && !output.json) throw noSetting("ilm", location);
      rules.forEach((rule) => showRule(session, location, rule));
      return;
    }
    const others = rules.filter((rule) => rule.ID !== id);
    const rule =
      action === "add"
        ? toRule({
            id: id!,
            prefix: flags.prefix,
            tags: parsePairs(flags.tag ?? [], "tag"),
            expire: flags["expire-days"],
            noncurrent: flags["noncurrent-days"],
            abort: flags["abort-days"],
            transition: flags["transition-days"],
            storageClass: flags.class,
          })
        : undefined;
    if (rule === undefined ? others.length === rules.length : others.length < rules.length) {
      throw unfitting(action, id, rules);
    }
    const Rules = rule === undefined ? others : [...others, rule];
    if (Rules.length === 0) await abortable(settings.remove("ilm", bucket), signal);
    else await abortable(settings.set("ilm", bucket, { Rules }), signal);
    if (rule !== undefined) showRule(session, location, rule);
    else output.result({ type: "ilm-dropped", location, id }, `dropped ${id} of ${location}`);
  }
}

function showRule({ output }: Session, location: string, rule: LifecycleRule): void {
  const off = rule.Status === "Enabled" ? "" : " (disabled)";
  const line = `${rule.ID ?? "-"}${off}  ${describeRule(rule)}`;
  output.result({ type: "ilm-rule", location, id: rule.ID, rule }, line);
}

function unfitting(action: string, id: string | undefined, rules: readonly LifecycleRule[]) {
  const known = rules.map(({ ID }) => ID).join(", ");
  if (id === undefined) {
    const message = "which rule? name it with --id";
    return usageError("MissingFlag", message, `there are: ${known}`);
  }
  return action === "add"
    ? new AppError({
        kind: "conflict",
        code: "RuleExists",
        message: `there is a rule ${id} already`,
        hint: "drop it first, or give the new one another --id",
      })
    : new AppError({
        kind: "not-found",
        code: "NoSuchRule",
        message: `there is no rule ${id}`,
        hint: known === "" ? undefined : `there are: ${known}`,
      });
}
