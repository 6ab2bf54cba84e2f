import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { boolean, string } from "@oclif/core/flags";

import { examples, one } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { programWords } from "../../cli/program-folder.js";
import { invalidArgument } from "../../core/failures/errors.js";
import { localError } from "../../core/failures/local.js";
import { isErrno, replaceFile } from "../../system/files.js";
import McpServe from "./serve.js";

const CLIENTS = ["claude", "claude-code", "cursor", "vscode", "codex"] as const;

export default class McpConfig extends BaseCommand {
  static override summary = "Tell an AI assistant's program how to start pail.";
  static override description = `Prints the entry for the client's configuration file, with absolute paths; --write puts it there, keeps everything else in the file, and refuses a file it does not understand. Options after "--" are those of pail mcp serve.

Secrets do not go into the file: name an alias, or let the client set the variables.`;
  static override examples = examples({
    claude: "Print the entry for Claude Desktop",
    "cursor -- --alias local --read-only": "Serve one alias, read-only, to Cursor",
    "claude-code --write -- --bucket demo": "Write it, for one bucket",
  });
  static override args = {
    client: one("claude (Desktop), claude-code, cursor, vscode or codex.", CLIENTS),
  };
  static override flags = {
    write: boolean({ description: "Write the client's file." }),
    name: string({ description: "The client's name for the server.", default: "pail" }),
    file: string({ description: "The client's file, if it is elsewhere.", helpValue: "FILE" }),
  };

  async run(): Promise<void> {
    const at = this.argv.indexOf("--");
    const options = at >= 0 ? this.argv.splice(at).slice(1) : [];
    const { args, flags, context, output } = await this.open(McpConfig);
    const { clientFile, withServer } = await import("../../mcp/index.js");
    if (!/^[\w-]+$/.test(flags.name)) {
      throw invalidArgument(`--name ${flags.name} is no name`, "use letters, digits, _ and -");
    }
    const client = CLIENTS.find((known) => known === args.client)!;
    const [command, ...words] = programWords();
    const launch = { command, args: [...words, "mcp", "serve", ...checked(options)] };
    const cwd = process.cwd();
    const file =
      flags.file === undefined ? clientFile(client, context.env, cwd) : resolve(flags.file);
    if (!flags.write) {
      const text = withServer(client, undefined, flags.name, launch).trimEnd();
      output.result({ client, file, text }, text.split("\n"));
      output.note(`for ${file}; --write puts it there`);
      return;
    }
    const text = withServer(client, readOrNothing(file), flags.name, launch);
    try {
      mkdirSync(dirname(file), { recursive: true });
      // Some people keep their settings elsewhere, with a link here.
      const real = existsSync(file) ? realpathSync(file) : file;
      await replaceFile(real, text, `${real}.${process.pid}.tmp`);
    } catch (error) {
      throw localError(error, "write", file);
    }
    output.result({ client, file, written: true }, `wrote ${file}; restart the client`);
  }
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw localError(error, "read", file);
  }
}

const DIRECTORIES = new Set(["--allow-dir", "--audit-log"]);

/** Options of the server, with absolute paths: a client starts it wherever it likes. */
function checked(options: readonly string[]): string[] {
  return options.map((option, index) => {
    const [, name, value] = /^--(?:no-)?([\w-]+)(?:=(.*))?$/s.exec(option) ?? [];
    if (name === undefined) {
      return DIRECTORIES.has(options[index - 1] ?? "") ? resolve(option) : option;
    }
    if (!(name in McpServe.flags)) {
      throw invalidArgument(`pail mcp serve has no option --${name}`, "pail mcp serve --help");
    }
    if (name === "secret-access-key") {
      throw invalidArgument(
        "a secret does not belong in that file",
        "use --alias NAME: pail alias set",
      );
    }
    return DIRECTORIES.has(`--${name}`) && value !== undefined
      ? `--${name}=${resolve(value)}`
      : option;
  });
}
