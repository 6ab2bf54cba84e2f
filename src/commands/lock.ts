import { boolean, option, string } from "@oclif/core/flags";

import { examples, one, valueFlag } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { abortable } from "../cli/interrupt.js";
import { remote } from "../cli/locations.js";
import { runSetting, settingsOf } from "../cli/settings.js";
import { invalidArgument } from "../core/failures/errors.js";
import { parseDuration } from "../text/units.js";

const DAY = 86_400;

export default class Lock extends BaseCommand {
  static override summary = "Keep objects from being removed: retention and legal holds.";
  static override description =
    "Of a bucket, what retention new objects get; of an object, its retention and legal hold. The bucket must have been made with: pail mb --with-lock. A retention in governance mode can be shortened or lifted with --bypass by those who may; one in compliance mode by nobody, until it ends.";
  static override examples = examples({
    "set play/kept --mode governance --for 30d": "Keep new objects for 30 days",
    "set play/kept/contract.pdf --mode governance --for 365d": "Keep one for a year",
    "set play/kept/contract.pdf --legal-hold on": "Keep it until that is taken back",
    "get play/kept/contract.pdf": "Show its locks",
    "remove play/kept/contract.pdf --bypass": "Lift a retention in governance mode",
  });
  static override args = {
    action: one("what to do", ["get", "set", "remove"]),
    target: one("alias/bucket or alias/bucket/key"),
  };
  static override flags = {
    mode: option({
      description: "How firmly.",
      options: ["governance", "compliance"] as const,
      dependsOn: ["for"],
    })(),
    for: valueFlag("How long from now, or from when an object is written: 30d.", "TIME", {
      dependsOn: ["mode"],
    }),
    "legal-hold": option({
      description: "Hold an object until that is taken back.",
      options: ["on", "off"] as const,
    })(),
    bypass: boolean({ description: "Shorten or lift a retention in governance mode." }),
    "version-id": string({ description: "This version of the object.", helpValue: "ID" }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Lock);
    const { alias, bucket, key } = await remote(session.context, args.target, "bucket");
    const seconds = flags.for === undefined ? undefined : parseDuration(flags.for);
    const mode: "COMPLIANCE" | "GOVERNANCE" =
      flags.mode === "compliance" ? "COMPLIANCE" : "GOVERNANCE";
    const wanted = seconds !== undefined || flags["legal-hold"] !== undefined;
    if (args.action === "set" && !wanted) {
      throw invalidArgument(
        "there is nothing to set",
        "--mode governance --for 30d, or --legal-hold on",
      );
    }
    const { settings } = await settingsOf(session, `${alias}/${bucket}`);
    if (key !== "") {
      const legalHold =
        flags["legal-hold"] === undefined ? undefined : flags["legal-hold"] === "on";
      const until = seconds === undefined ? undefined : new Date(Date.now() + seconds * 1000);
      const versionId = flags["version-id"];
      const { bypass } = flags;
      if (args.action !== "get") {
        const retention = args.action === "remove" ? "none" : until && { mode, until };
        const wish = { retention, legalHold } as const;
        await abortable(settings.setHold(bucket, key, wish, { versionId, bypass }), session.signal);
      }
      const hold = await abortable(settings.getHold(bucket, key, versionId), session.signal);
      return showHold(session, `${alias}/${bucket}/${key}`, hold);
    }
    if (args.action === "set") {
      if (seconds === undefined || seconds % DAY !== 0) {
        throw invalidArgument("a bucket's retention is whole days", "--mode governance --for 30d");
      }
      const DefaultRetention = { Mode: mode, Days: seconds / DAY };
      const document = { ObjectLockEnabled: "Enabled", Rule: { DefaultRetention } };
      await abortable(settings.set("lock", bucket, document), session.signal);
    }
    const action = args.action === "set" ? "get" : args.action;
    await runSetting(session, "lock", { action, target: `${alias}/${bucket}` });
  }
}

function showHold(
  { output }: Session,
  location: string,
  {
    mode,
    until,
    legalHold,
  }: { mode?: string | undefined; until?: string | undefined; legalHold?: boolean | undefined },
): void {
  const retention = mode === undefined ? "no retention" : `${mode.toLowerCase()} until ${until}`;
  const held = legalHold === true ? ", legal hold" : "";
  const record = {
    type: "hold",
    location,
    mode: mode ?? null,
    until: until ?? null,
    legalHold: legalHold ?? false,
  };
  output.result(record, `${location}: ${retention}${held}`);
}
