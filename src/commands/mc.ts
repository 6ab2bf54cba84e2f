import { copyFileSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";

import { examples } from "../cli/args.js";
import { BaseCommand, type Shared } from "../cli/base.js";
import { interruptSignal } from "../cli/interrupt.js";
import { mcOutput, WHOLE } from "../cli/mc-output.js";
import { keyOf, type McCall, readMc } from "../cli/mc-words.js";
import { createOutput } from "../cli/output.js";
import { toProblem } from "../cli/problem.js";
import { importAliases } from "../core/config/import.js";
import { AppError } from "../core/failures/errors.js";
import { localError } from "../core/failures/local.js";
import { splitRemote } from "../core/location.js";
import { createContext } from "../context.js";
import { PROGRAM } from "../version.js";

/** Takes mc's command lines, for scripts written for it. It adds nothing to pail's own commands. */
export default class Mc extends BaseCommand {
  static override summary = "Take a command line of mc's.";
  static override description =
    "For scripts written for mc: its commands and flags where pail has the same, its aliases (MC_HOST_*, config.json), its exit codes (0 and 1) and its JSON where scripts read it. A link named mc to pail does the same. Local files are copied, moved and removed here, too, as mc does.";
  static override examples = examples({
    "ls --json local/demo": "As a script that was written for mc calls it",
  });
  static override strict = false;

  async run(): Promise<void> {
    const json = this.argv.some((word) => /^--?json$/.test(word));
    const quiet = this.argv.some((word) => /^(?:-q|--?quiet)$/.test(word));
    const { stdout, stderr } = process;
    stdout.removeAllListeners("error");
    const interrupt = interruptSignal(this.graceMs);
    let failed = false;
    const fail = () => {
      failed = true;
    };
    let output = mcOutput(createOutput({ json, quiet, stdout, stderr }), "", fail);
    try {
      const call = readMc(this.argv);
      const base = call.command === "ls" ? baseOf(call.words[0]) : WHOLE;
      const onMissing = call.flags.includes("--force") ? () => undefined : fail;
      output = mcOutput(createOutput({ json, quiet, stdout, stderr }), base, onMissing);
      const env = environmentOf(call, process.env);
      const context = createContext(env);
      const end = (code: number) => {
        // mc does not fail when nothing is found, or when there is a difference.
        const fine = { find: 3, diff: 5 }[call.command];
        if (code !== 0 && code !== fine) fail();
      };
      const shared: Shared = { context, output, signal: interrupt.signal, end };
      for (const words of await this.commandsOf(call, shared, env)) {
        await (this.config as unknown as Starter).start([...words], shared);
      }
      context.close();
    } catch (error) {
      output.error(toProblem(error, "pail mc"));
      failed = true;
    }
    await output.flush();
    interrupt.release();
    if (failed) process.exitCode = 1;
  }

  /** Pail's command lines for a call; what is local alone is done here. */
  private async commandsOf(
    call: McCall,
    { context, output }: Shared,
    env: NodeJS.ProcessEnv,
  ): Promise<string[][]> {
    const { command, flags, words } = call;
    const aliases = await context.aliasNames();
    const isLocal = (word: string) => word !== "-" && !aliases.has(word.split("/")[0]!);
    const own = flags.filter((flag) => flag !== "dangerous" && flag !== "incomplete");
    if (command === "--version") {
      output.result({ version: PROGRAM }, PROGRAM);
      return [];
    }
    if (/^(?:cp|mv)$/.test(command) && words.length === 2 && words.every(isLocal)) {
      copyLocally(command === "mv", words[0]!, words[1]!);
      return [];
    }
    if (command === "stat" && words.length > 0 && words.every(isLocal)) {
      for (const word of words)
        output.result({ type: "file", key: word, size: look(word).size }, word);
      return [];
    }
    if (command === "rm") {
      words.filter(isLocal).forEach((word) => removeLocally(word, own.includes("-r")));
      const rest = words.filter((word) => !isLocal(word));
      return rest.length > 0 || own.includes("--stdin") ? [[command, ...own, ...rest]] : [];
    }
    if (command === "rb" && flags.includes("dangerous") && own.includes("--force")) {
      const all = words.map(async (word) => {
        const [alias, bucket] = splitRemote(word);
        if (bucket !== "") return [word];
        return (await (await context.buckets(alias)).list()).map(({ name }) => `${alias}/${name}`);
      });
      const buckets = (await Promise.all(all)).flat();
      return buckets.length > 0 ? [[command, ...own, ...buckets]] : [];
    }
    if (flags.includes("incomplete")) return words.map((word) => ["uploads", "list", ...own, word]);
    return [[...command.split(" "), ...own, ...keyFlags(call, env), ...words]];
  }
}

interface Starter {
  start(words: string[], shared: Shared): Promise<void>;
}

/** Keys travel by variables of this process, which no other can see. */
function keyFlags(call: McCall, env: NodeJS.ProcessEnv): string[] {
  const { command, words } = call;
  const [first = "", last = ""] = [words[0], words.at(-1)];
  const flag = (name: string, variable: string, location: string) => {
    const key = keyOf(call, location);
    if (key === undefined) return [];
    env[variable] = key;
    return [name, `env:${variable}`];
  };
  if (/^(?:cp|mv|mirror)$/.test(command)) {
    const source = flag("--source-sse-c-key", "MC_SOURCE_KEY", first);
    return [...source, ...flag("--sse-c-key", "MC_KEY", last)];
  }
  return flag("--sse-c-key", "MC_KEY", first);
}

/** The environment with mc's aliases in it; --config-dir also keeps pail's own aliases there. */
function environmentOf({ configDir }: McCall, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const directory = configDir ?? env["MC_CONFIG_DIR"] ?? join(env["HOME"] || homedir(), ".mc");
  const made: NodeJS.ProcessEnv = {};
  let text: string | undefined;
  try {
    text = readFileSync(join(directory, "config.json"), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      throw localError(error, "read", directory);
  }
  for (const entry of text === undefined ? [] : importAliases("mc", text)) {
    if ("reason" in entry || entry.alias.url === undefined) continue;
    const { url, accessKey = "", secretKey = "" } = entry.alias;
    const keys =
      accessKey === "" ? "" : `${encodeURIComponent(accessKey)}:${encodeURIComponent(secretKey)}@`;
    made[`PAIL_HOST_${entry.name}`] = url.replace("://", `://${keys}`);
  }
  if (configDir !== undefined) made["PAIL_CONFIG_DIR"] = join(configDir, "pail");
  return { ...made, ...env, ...(configDir && { PAIL_CONFIG_DIR: made["PAIL_CONFIG_DIR"] }) };
}

function baseOf(text = ""): string {
  const [, , key] = splitRemote(text);
  return key === "" || key.endsWith("/") ? key : `${key}/`;
}

function copyLocally(moves: boolean, from: string, to: string): void {
  const directory = statSync(to, { throwIfNoEntry: false })?.isDirectory() === true;
  const target = directory ? join(to, basename(from)) : to;
  try {
    if (moves) renameSync(from, target);
    else copyFileSync(from, target);
  } catch (error) {
    throw localError(error, moves ? "move" : "copy", from);
  }
}

function removeLocally(path: string, recursive: boolean): void {
  look(path);
  try {
    rmSync(path, { recursive });
  } catch (error) {
    throw localError(error, "remove", path);
  }
}

function look(path: string) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return stats;
  throw new AppError({ kind: "not-found", code: "ENOENT", message: `${path}: no such file` });
}
