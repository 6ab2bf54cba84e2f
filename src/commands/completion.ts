import { examples, one } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { COMPLETION_SCRIPTS, SHELLS } from "../cli/completion-scripts.js";

export default class CompletionScript extends BaseCommand {
  static override summary = "Print the script that completes pail's words in your shell.";
  static override description = `Commands, flags, their values, aliases, buckets and one level of keys. Answers of services are kept for 30 seconds and waited for half a second at most.

bash: eval "$(pail completion bash)" in ~/.bashrc; zsh: the same, behind compinit, in ~/.zshrc; fish: pail completion fish > ~/.config/fish/completions/pail.fish; PowerShell: pail completion powershell | Out-String | Invoke-Expression in $PROFILE.`;
  static override examples = examples({
    '$ eval "$(pail completion bash)"': "For this shell, from now on",
    fish: "The script, to be kept where fish looks for it",
  });
  static override args = { shell: one(SHELLS.join(", "), SHELLS) };

  async run(): Promise<void> {
    const { args, output } = await this.open(CompletionScript);
    await output.bytes(Buffer.from(COMPLETION_SCRIPTS[args.shell as (typeof SHELLS)[number]]));
  }
}
