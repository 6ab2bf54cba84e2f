/** The console: takes the terminal over until it is quit. Loaded only by `pail tui`. */
import type { ReadStream, WriteStream } from "node:tty";

import type { Context } from "../context.js";
import { AppError } from "../core/failures/errors.js";
import { PLAIN_SIZE } from "./layout.js";
import { initialState } from "./state/initial.js";
import { lookOf } from "./terminal/environment.js";
import { resolveKeymap } from "./keymap.js";
import { takeLeft } from "./controller/left.js";
import { readMemory } from "./controller/memory.js";
import type { Look } from "./theme.js";

export interface ConsoleOptions {
  readonly context: Context;
  /** `alias[/bucket[/prefix]]` to open; default where the console was left. */
  readonly place?: string | undefined;
  /** Disables everything that changes something on a service. */
  readonly readonly: boolean;
  /** Lines are read and written; so they are where the terminal cannot place its cursor. */
  readonly plain: boolean;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
}

/**
 * Runs the console to its end. Throws a usage error when there is no terminal to draw on, and an
 * interruption when a signal ended it; the terminal is as it was before by then.
 */
export async function runConsole(options: ConsoleOptions): Promise<void> {
  const { context, stdin, stdout } = options;
  requireTerminal(options);
  const { tui } = await context.config();
  const { auto, ...asked } = lookOf(context.env, tui);
  const plain = options.plain || context.env["TERM"] === "dumb";
  const look: Look = plain ? { theme: "mono", ascii: true, colors: 0, plain } : asked;
  const { keymap, problems } = resolveKeymap(tui?.["keys"]);
  const [initial, effects] = initialState({
    size: plain ? PLAIN_SIZE : { columns: stdout.columns, rows: stdout.rows },
    look,
    keymap,
    problems,
    readonly: options.readonly,
    place: options.place,
    memory: await readMemory(context.directories.state),
    left: options.readonly ? [] : await takeLeft(context.directories.state),
    home: context.env["HOME"] ?? process.cwd(),
    directory: process.cwd(),
  });
  const { run } = await import("./run.js");
  const { runPlain } = await import("./plain/run.js");
  const start = plain ? runPlain : run;
  await start({ context, stdin, stdout, initial, effects, askBackground: auto });
}

function requireTerminal({ stdin, stdout }: ConsoleOptions): void {
  if (stdin.isTTY && stdout.isTTY) return;
  throw new AppError({
    kind: "usage",
    code: "NotATerminal",
    message: "the console needs a terminal on stdin and stdout",
    hint: "for scripts there are commands: pail --help",
  });
}
