import { createReadStream } from "node:fs";

import { boolean, integer } from "@oclif/core/flags";

import { examples, one } from "../cli/args.js";
import { BaseCommand, type Session, type Shared } from "../cli/base.js";
import { wordsOf } from "../cli/command-lines.js";
import { nameExactly } from "../cli/lists.js";
import { createOutput } from "../cli/output.js";
import { toProblem } from "../cli/problem.js";
import { partial } from "../cli/several.js";
import { linesOf } from "../cli/stdin-lines.js";
import { usageError } from "../core/failures/errors.js";
import { localError } from "../core/failures/local.js";

/** Commands whose purpose needs a process of their own. */
const ALONE = new Set(["run", "tui", "serve", "mcp", "mc"]);

export default class Run extends BaseCommand {
  static override summary = "Run one command a line, in one process over one pool of connections.";
  static override description = `A line is a command without "pail", in words as a shell has them: quotes and "\\" work, variables and patterns do not. Blank lines and those that begin with "#" are left out. Names are exact, nobody is asked anything, and no command reads stdin.

With --json every record has the number of its line. Exit code 7 when some line failed.`;
  static override examples = examples({
    "commands.txt": "Run a file of commands in one process",
    "-j 16 --json commands.txt": "Sixteen at once, with a record for each line",
    "$ printf 'rm %s\\n' local/demo/1.txt local/demo/2.txt | pail run -":
      "Commands that another program writes",
  });
  static override args = { file: one("a file of lines, or - for stdin") };
  static override flags = {
    jobs: integer({ char: "j", description: "Lines at once.", min: 1, max: 256, default: 1 }),
    "stop-on-error": boolean({ description: "Start no further line once one has failed." }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Run);
    const { output, signal } = session;
    const count = { lines: 0, failed: 0 };
    const underway = new Set<Promise<void>>();
    const release = nameExactly();
    try {
      let number = 0;
      for await (const line of linesOf(streamOf(args.file))) {
        number += 1;
        if (signal.aborted || (flags["stop-on-error"] && count.failed > 0)) break;
        const at = number;
        const job = this.runLine(session, line, at).then((code) => {
          underway.delete(job);
          if (code === undefined) return;
          count.lines += 1;
          if (code !== 0) count.failed += 1;
        });
        underway.add(job);
        if (underway.size >= flags.jobs) await Promise.race(underway);
      }
      await Promise.all(underway);
    } finally {
      release();
    }
    signal.throwIfAborted();
    output.result({ type: "run", ...count });
    if (count.failed > 0) throw partial(count.failed, count.lines, "line");
  }

  /** Resolves with the exit code of a line; undefined when there is no command in it. */
  private async runLine(session: Session, text: string, line: number): Promise<number | undefined> {
    const { stdout, stderr } = process;
    let code = 0;
    const output = createOutput({ ...session.output, stdout, stderr, line });
    try {
      const words = wordsOf(text);
      if (words[0] === "pail") words.shift();
      if (words.length === 0) return undefined;
      requireOfList(words);
      const end = (ended: number) => {
        code = ended;
      };
      const { context, signal } = session;
      const json = words.includes("--json");
      const shown = json ? createOutput({ ...output, json, stdout, stderr, line }) : output;
      await this.starter(words, { context, signal, output: shown, end });
    } catch (error) {
      const problem = toProblem(error, "pail run");
      output.error(problem);
      code = problem.exitCode;
    }
    await output.flush();
    return code;
  }

  private starter(words: string[], shared: Shared): Promise<void> {
    const config = this.config as unknown as {
      start(words: string[], shared: Shared): Promise<void>;
    };
    return config.start(words, shared);
  }
}

function streamOf(file: string): AsyncIterable<Uint8Array> {
  if (file === "-") return process.stdin;
  return readFile(file);
}

async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } catch (error) {
    throw localError(error, "read", file);
  }
}

function requireOfList(words: readonly string[]): void {
  const [first = ""] = words;
  const target = /^(?:cp|get)$/.test(first) ? words.length - 1 : words.length;
  const stdin =
    first === "pipe" || words.includes("--stdin") || words.slice(1, target).includes("-");
  if (!stdin && !ALONE.has(first)) return;
  throw usageError(
    "NotInRun",
    stdin
      ? `${first} cannot read stdin within run`
      : `${first} cannot be run from a list of commands`,
  );
}
