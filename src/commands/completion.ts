import { string as stringArg } from "@oclif/core/args";

import { BaseCommand } from "../cli/base.js";
import { COMPLETION_SCRIPTS, SHELLS } from "../cli/completion-scripts.js";

export default class CompletionScript extends BaseCommand {
  static override summary = "Print the script that completes pail's words in your shell.";
  static override description = `Commands, flags, their values, aliases, buckets and one level of keys. What services answer is kept for 30 seconds and waited for half a second at most.

bash: eval "$(pail completion bash)" in ~/.bashrc; zsh: the same, behind compinit, in ~/.zshrc; fish: pail completion fish > ~/.config/fish/completions/pail.fish; PowerShell: pail completion powershell | Out-String | Invoke-Expression in $PROFILE.`;
  static override examples = [
    '$ eval "$(<%= config.bin %> <%= command.id %> bash)"',
    "<%= config.bin %> <%= command.id %> fish",
  ];
  static override args = {
    shell: stringArg({
      description: SHELLS.join(", "),
      required: true,
      options: [...SHELLS],
      ignoreStdin: true,
    }),
  };

  async run(): Promise<void> {
    const { args, output } = await this.open(CompletionScript);
    await output.bytes(Buffer.from(COMPLETION_SCRIPTS[args.shell as (typeof SHELLS)[number]]));
  }
}
