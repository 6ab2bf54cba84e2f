/**
 * Finds the command that was asked for and runs it, without reading oclif's configuration from
 * disk: that reading costs as much as a short command itself. Parts that only a person waits for (help)
 * goes through oclif whole.
 */
import type { Command } from "@oclif/core/command";

import { createOutput } from "./cli/output.js";
import { unknownCommand } from "./cli/problem.js";
import { programFolder } from "./cli/program-folder.js";
import { VERSION } from "./version.js";

type CommandClass = new (argv: string[], config: never) => Command;

/** Command classes by colon-separated id, loaded when asked for. */
export type CommandTable = Readonly<Record<string, () => Promise<{ default: unknown }>>>;

/** Runs `argv` (without node and the script) to its end; sets process.exitCode. */
export async function main(argv: string[], commands: CommandTable): Promise<void> {
  const words = asMc(argv) ?? chooseFace(globalFlagsLast(argv));
  if (wantsHelp(words)) return await explain(words, commands);
  if (isTopic(words, commands)) return await showHelp(words);
  const { id, rest } = match(words, commands);
  if (id === undefined) return await refuse(words, commands);

  await runCommand(commands, id, rest);
}

/** Runs one command to its end; `more` is what it finds in its configuration besides. */
async function runCommand(
  commands: CommandTable,
  id: string,
  words: string[],
  more: object = {},
): Promise<void> {
  const Class = (await commands[id]!()).default as CommandClass & { id?: string };
  Class.id = id;
  // The part of oclif's Config that a command uses while it runs.
  const config = {
    bin: "pail",
    version: VERSION,
    pjson: { oclif: {} },
    runHook: () => Promise.resolve({ successes: [], failures: [] }),
    scopedEnvVar: () => undefined,
    scopedEnvVarKeys: () => [],
    scopedEnvVarTrue: () => false,
    /** For `run`: starts another command in this process. Throws for what is none. */
    start: async (typed: string[], shared: object) => {
      const { id: other, rest } = match(globalFlagsLast(typed), commands);
      if (other === undefined) throw unknown(typed, commands);
      await runCommand(commands, other, rest, { shared });
    },
    ...more,
  };
  const command = new Class(words, config as never) as unknown as { _run(): Promise<unknown> };
  await command._run();
}

/** The words when pail is called as `mc`, or with that as its first word: then all others are mc's. */
function asMc(argv: string[]): string[] | undefined {
  if (argv[0] === "mc") return argv;
  return /(?:^|[/\\])mc$/.test(process.argv[1] ?? "") ? ["mc", ...argv] : undefined;
}

const GLOBAL_FLAGS = new Set(["--json", "--quiet", "-q", "--debug", "--trace"]);

/** The same words, with global flags moved from among the command's own words to behind them. */
function globalFlagsLast(argv: string[]): string[] {
  const flags: string[] = [];
  const names: string[] = [];
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (GLOBAL_FLAGS.has(word)) flags.push(word);
    else if (word.startsWith("-")) break;
    else names.push(word);
  }
  return names.length === 0 ? argv : [...names, ...flags, ...argv.slice(at)];
}

/** The longest command id the words begin with, and the words after it. */
function match(words: string[], commands: CommandTable): { id?: string; rest: string[] } {
  for (let count = Math.min(words.length, 3); count > 0; count -= 1) {
    const id = words.slice(0, count).join(":");
    if (Object.hasOwn(commands, id)) return { id, rest: words.slice(count) };
  }
  return { rest: words };
}

/** Without arguments a terminal gets the console; `pail help cp` is what a person tries first. */
function chooseFace(argv: string[]): string[] {
  if (argv.length === 0) return onTerminal() ? ["tui"] : ["--help"];
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
}

/** Whether the words are a topic alone, as `alias` and `serve key` are: that asks for help. */
function isTopic(words: string[], commands: CommandTable): boolean {
  const id = words.join(":");
  if (Object.hasOwn(commands, id)) return false;
  return Object.keys(commands).some((name) => name.startsWith(`${id}:`));
}

function unknown(words: string[], commands: CommandTable) {
  const names = Object.keys(commands).map((id) => id.replaceAll(":", " "));
  return unknownCommand(words, names);
}

async function refuse(words: string[], commands: CommandTable): Promise<void> {
  const problem = unknown(words, commands);
  const { stdout, stderr } = process;
  const output = createOutput({ json: words.includes("--json"), quiet: false, stdout, stderr });
  output.error(problem);
  await output.flush();
  process.exitCode = problem.exitCode;
}

function wantsHelp(words: string[]): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

function onTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** Shows the help of the command or topic that the words name among flags; of pail when none. */
async function explain(words: string[], commands: CommandTable): Promise<void> {
  const named = words.filter((word) => !word.startsWith("-"));
  if (named.length === 0 || isTopic(named, commands)) return await showHelp(named);
  const { id } = match(named, commands);
  await (id === undefined ? refuse(words, commands) : showHelp(id.split(":")));
}

async function showHelp(words: string[]): Promise<void> {
  const help = await import("./cli/help.js");
  await help.showHelp(words, programFolder());
}
