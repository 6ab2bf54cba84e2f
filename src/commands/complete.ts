import { readFileSync } from "node:fs";
import { join } from "node:path";

import { option } from "@oclif/core/flags";

import { any, examples } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { complete, type Manifest } from "../cli/complete.js";
import { locationsOf } from "../cli/complete-locations.js";
import { FILES_LINE, SHELLS } from "../cli/completion-scripts.js";
import { programFolder } from "../cli/program-folder.js";

export default class Complete extends BaseCommand {
  static override hidden = true;
  static override summary = "Answer what a completion script asks.";
  static override description =
    "Prints what the last word may become, one a line, a description behind a tab. The scripts of the command completion call it.";
  static override examples = examples({
    "-- ls local/de": "Offer words in place of the last one",
  });
  static override args = { words: any("the words behind pail, the last one unfinished") };
  static override flags = {
    shell: option({ description: "The shell that asks.", options: SHELLS })(),
  };

  async run(): Promise<void> {
    const at = this.argv.indexOf("--");
    const words = at < 0 ? [] : this.argv.splice(at).slice(1);
    const { args, flags, context, output } = await this.open(Complete);
    const given = [...(args.words ?? []), ...words].map((word) => plain(word, flags.shell));
    const typed = flags.shell === "bash" ? rejoined(given) : given;
    const manifest = JSON.parse(
      readFileSync(join(programFolder(), "oclif.manifest.json"), "utf8"),
    ) as Manifest;
    const { candidates, files } = await complete(typed, manifest, locationsOf(context));
    // bash replaces only the part behind its last cut.
    const cut = flags.shell === "bash" ? (/^.*[:=]/s.exec(typed.at(-1) ?? "")?.[0].length ?? 0) : 0;
    const lines = candidates.map(({ value, description }) =>
      description === undefined || flags.shell === "bash"
        ? value.slice(cut)
        : `${value}\t${description}`,
    );
    output.result({ type: "completion", candidates, files }, [
      ...lines,
      ...(files ? [FILES_LINE] : []),
    ]);
  }
}

/** The words, joined again where bash has cut them at `=` and `:`. */
function rejoined(words: readonly string[]): string[] {
  const whole: string[] = [];
  let open = false;
  for (const word of words) {
    const isCut = /^[:=]+$/.test(word);
    if (whole.length > 0 && (isCut || open)) whole.push(whole.pop()! + word);
    else whole.push(word);
    open = isCut;
  }
  return whole;
}

/** A word as it was meant: these shells hand it over as it was typed. */
function plain(word: string, shell: string | undefined): string {
  if (shell === "bash") return word.replaceAll(/\\(.)/gs, "$1").replace(/^["']/, "");
  return shell === "powershell" ? word.replaceAll(/^["']|["']$/g, "") : word;
}
