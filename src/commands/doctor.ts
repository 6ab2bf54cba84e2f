import { any, examples } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { partial } from "../cli/several.js";
import type { AppError } from "../core/failures/errors.js";
import { diagnose, type Finding, type Machine } from "../core/operations/doctor.js";
import { visible } from "../text/sanitize.js";

export default class Doctor extends BaseCommand {
  static override summary = "Find out what is wrong with this machine or an endpoint.";
  static override description = `Looks at the runtime, the terminal, the environment, the configuration and its folders, and asks each alias, or those that are named, for its buckets: name, connection, certificate, clock, credentials. Changes nothing. A problem keeps pail from working and says what to do; a note may.

Exit code 0 without a problem, the problem's own with one, 7 with several.`;
  static override examples = examples({
    "": "Look at everything",
    local: "Look at this machine and one alias",
  });
  static override args = { aliases: any("alias") };

  async run(): Promise<void> {
    const { args, context, output, signal } = await this.open(Doctor);
    this.endWithReader();
    const only = [];
    for (const name of args.aliases ?? []) only.push(await context.alias(name.replace(/\/$/, "")));
    const problems: AppError[] = [];
    const found = diagnose({
      machine: machine(context.env),
      directories: context.directories,
      aliases: () => context.aliases(),
      client: ({ name }) => context.client(name),
      only,
      signal,
    });
    for await (const finding of found) {
      const { error, ...record } = finding;
      if (error !== undefined) problems.push(error);
      const code = error === undefined ? {} : { code: error.code };
      output.result({ type: "finding", ...record, ...code }, lines(finding));
    }
    if (problems.length > 1) throw partial(problems.length, problems.length, "problem");
    if (problems.length === 1) this.endWith(problems[0]!.exitCode);
  }
}

function lines({ state, check, text, hint }: Finding): string[] {
  const line = `${state.padEnd(7)}  ${visible(check)}: ${visible(text)}`;
  return hint === undefined ? [line] : [line, `         ${visible(hint)}`];
}

function machine(env: NodeJS.ProcessEnv): Machine {
  const { stdout, versions } = process;
  const terminal = stdout.isTTY
    ? { columns: stdout.columns, rows: stdout.rows, colors: stdout.getColorDepth() }
    : undefined;
  const node = versions["bun"] === undefined ? process.version : undefined;
  return { env, node, terminal, now: Date.now };
}
