/** Help goes through all of oclif, in a bundle of its own: only a person waits for it. */
import { type Command, CommandHelp, Config, Help } from "@oclif/core";

import { PROGRAM } from "../version.js";
import { exitStatus, variables } from "./facts.js";

// For the manual page, which is made when the program is built.
export { exitStatus, variables };

/** A command's page: each example below what it does, and at the end what the table of facts has. */
class CommandPage extends CommandHelp {
  protected override examples(examples: Command.Example[] = []): string {
    const shown = examples.map((example) => {
      const { description, command } = example as Exclude<Command.Example, string>;
      return `${this.render(description)}\n  $ ${this.render(command).replace(/^\$ /, "")}`;
    });
    return shown.join("\n");
  }

  protected override sections() {
    // oclif has put spaces into the id by now.
    const id = this.command.id.replaceAll(" ", ":");
    const environment = variables(id);
    const facts = [{ header: "EXIT CODES", generate: () => this.wrap(codes(id)) }];
    if (environment.length > 0) {
      facts.push({ header: "ENVIRONMENT", generate: () => list(environment) });
    }
    return [...super.sections(), ...facts];
  }
}

class Pages extends Help {
  override CommandHelpClass = CommandPage;
}

/**
 * Shows the help of the command or topic that `words` name; of pail when there are none. `root` is
 * a folder of the installed package, whose manifest describes the commands.
 */
export async function showHelp(words: string[], root: string): Promise<void> {
  const config = await Config.load(root);
  // oclif names the program after its package, whose name on npm is another.
  config.userAgent = PROGRAM;
  const pages = new Pages(config);
  await pages.showHelp(words);
  if (words.length > 0) return;
  const facts = [
    pages.section("FIRST STEPS", FIRST_STEPS),
    pages.section("EXIT CODES", pages.wrap(codes())),
    pages.section("ENVIRONMENT", list(variables())),
  ];
  process.stdout.write(`${facts.join("\n\n")}\n\n`);
}

function codes(id?: string): string {
  return exitStatus(id)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join(", ");
}

function list(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, meaning]) => `${name.padEnd(width)}  ${meaning}`).join("\n");
}

const FIRST_STEPS = `pail mb local/demo && pail cp FILE local/demo   a store on this machine, without any setting
pail alias set NAME URL                         any S3-compatible service
pail alias import mc|aws|rclone                 what other tools know already
pail tui                                        the console; pail serve, pail mcp serve
pail COMMAND --help                             what a command does, with examples`;
