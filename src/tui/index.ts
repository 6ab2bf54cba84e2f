/** The console: takes the terminal over until it is quit. Loaded only by `pail tui`. */
import type { ReadStream, WriteStream } from "node:tty";

import type { Context } from "../context.js";
import { AppError } from "../core/failures/errors.js";
import { initialState } from "./state/initial.js";
import { lookOf } from "./terminal/environment.js";
import { resolveKeymap } from "./keymap.js";
import { takeLeft } from "./controller/left.js";
import { readMemory } from "./controller/memory.js";

export interface ConsoleOptions {
  readonly context: Context;
  /** `alias[/bucket[/prefix]]` to open; default where the console was left. */
  readonly place?: string | undefined;
  /** Disables everything that changes something on a service. */
  readonly readonly: boolean;
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
  const look = lookOf(context.env, tui);
  const { keymap, problems } = resolveKeymap(tui?.["keys"]);
  const [initial, effects] = initialState({
    size: { columns: stdout.columns, rows: stdout.rows },
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
  await run({ context, stdin, stdout, initial, effects, askBackground: look.auto });
}

function requireTerminal({ context, stdin, stdout }: ConsoleOptions): void {
  const { env } = context;
  if (stdin.isTTY && stdout.isTTY && env["TERM"] !== "dumb") return;
  const message =
    env["TERM"] === "dumb" && stdin.isTTY && stdout.isTTY
      ? "the console needs a terminal that can place its cursor, and TERM is dumb"
      : "the console needs a terminal on stdin and stdout";
  throw new AppError({
    kind: "usage",
    code: "NotATerminal",
    message,
    hint: "for scripts there are commands: pail --help",
  });
}
