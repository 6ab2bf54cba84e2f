import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { examples } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { checkConfig } from "../../core/config/shape.js";
import { AppError } from "../../core/failures/errors.js";

export default class AliasEdit extends BaseCommand {
  static override summary = "Edit the aliases in an editor.";
  static override description =
    "Opens the aliases of the configuration file in $VISUAL or $EDITOR. The result is taken only when it can be used, and when nobody else has changed the file meanwhile.";
  static override examples = examples({
    "$ EDITOR=true pail alias edit": "Edit the file, and take it back when it can be used",
  });

  async run(): Promise<void> {
    const { context, output } = await this.open(AliasEdit);
    const before = await context.config();
    const folder = mkdtempSync(join(tmpdir(), "pail-edit-"));
    try {
      const file = join(folder, "aliases.json");
      const text = `${JSON.stringify(before.aliases, undefined, 2)}\n`;
      writeFileSync(file, text, { mode: 0o600 });
      const editor = context.env["VISUAL"] || context.env["EDITOR"] || "vi";
      // An editor is set with its arguments, as "code --wait".
      const [program = "vi", ...words] = editor.split(/\s+/);
      const { status, error } = spawnSync(program, [...words, file], { stdio: "inherit" });
      if (error !== undefined || status !== 0) throw unedited(`${program} did not end well`, error);
      const edited = readFileSync(file, "utf8");
      if (edited === text) {
        output.note("nothing was changed");
        return;
      }
      let aliases: unknown;
      try {
        aliases = JSON.parse(edited);
      } catch (cause) {
        throw unedited(`what came back is not JSON: ${(cause as Error).message}`, cause);
      }
      const checked = checkConfig({ ...before, aliases }, "as edited");
      await context.updateConfig((now) => {
        if (JSON.stringify(now.aliases) !== JSON.stringify(before.aliases)) {
          throw unedited("the aliases were changed by somebody else meanwhile");
        }
        return { ...now, aliases: checked.aliases };
      });
      output.result({ type: "aliases-edited" }, "the aliases were changed");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function unedited(why: string, cause?: unknown): AppError {
  const message = `${why}; nothing was changed`;
  return new AppError({ kind: "usage", code: "NotEdited", message, cause });
}
