/** The parts that every command shares: flags, the context, the output, and the way it ends. */
import type { Interfaces } from "@oclif/core";
import { Command } from "@oclif/core/command";
import { boolean } from "@oclif/core/flags";

import { type Context, createContext } from "../context.js";
import { exposureOf } from "../core/config/file.js";
import { isAppError, usageError } from "../core/failures/errors.js";
import { interruptSignal, OutputClosed, unwritable } from "./interrupt.js";
import { createOutput, type Output } from "./output.js";
import { toProblem } from "./problem.js";
import { suggestBucket } from "./suggest-bucket.js";

/** The tools that a command works with once its arguments are parsed. */
export interface Session {
  readonly context: Context;
  readonly output: Output;
  /** Fires on Ctrl-C, when stdout breaks and, after `endWithReader`, when its reader goes away. */
  readonly signal: AbortSignal;
}

/** The tools that a command started by `run` gets from it, in place of its own. */
export interface Shared {
  readonly context: Context;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Takes the exit code. */
  readonly end: (code: number) => void;
}

/** A command: parse, one call of the core, one rendering. */
export abstract class BaseCommand extends Command {
  static override baseFlags = {
    json: boolean({
      description: "Print one JSON object a line; errors too, with the same exit code.",
      helpGroup: "GLOBAL",
    }),
    quiet: boolean({
      char: "q",
      description: "Print results and errors only: no notes, no progress.",
      helpGroup: "GLOBAL",
    }),
    debug: boolean({
      description: "Print the stack of an error.",
      helpGroup: "GLOBAL",
    }),
    trace: boolean({
      description: "Print requests and answers on stderr, without secrets.",
      helpGroup: "GLOBAL",
    }),
  };

  /** How long an interrupted command may take to wind up, in milliseconds. */
  protected readonly graceMs: number = 5000;

  private context: Context | undefined;
  private interrupt: ReturnType<typeof interruptSignal> | undefined;
  private output: Output | undefined;
  /** The parsed flags; undefined until then. */
  private given: Readonly<Record<string, unknown>> | undefined;

  /** Parses the command line and opens the session. */
  protected async open<F extends Flags, B extends Flags, A extends Args>(
    command: Interfaces.Input<F, B, A>,
  ): Promise<Interfaces.ParserOutput<F, B, A> & Session> {
    const { shared } = this;
    if (shared === undefined) {
      // oclif's listener makes every failure but EPIPE an uncaught exception; ours reports it.
      process.stdout.removeAllListeners("error");
      this.interrupt = interruptSignal(this.graceMs);
    }
    requireNoValues(this.argv, { ...command.baseFlags, ...command.flags });
    const parsed = await this.parse<F, B, A>(command);
    this.given = parsed.flags;
    if (shared !== undefined) return { ...parsed, ...shared };
    const { trace } = parsed.flags as { readonly trace?: boolean };
    this.context = createContext(environment(parsed.flags), trace === true ? sayTrace : undefined);
    const { signal } = this.interrupt!;
    const output = this.makeOutput();
    const cure = exposureOf(this.context.directories.configFile);
    if (cure !== undefined) {
      output.note(`others can reach the secret keys of pail's config: ${cure}`);
    }
    return { ...parsed, context: this.context, output, signal };
  }

  /**
   * For a command whose work is its output: it ends when the reader of stdout goes away (`| head`).
   * Any other goes on to its end and says no more.
   */
  protected endWithReader(): void {
    this.interrupt?.endWithReader();
  }

  /** The exit code of a command that has not failed. */
  protected endWith(code: number): void {
    if (this.shared === undefined) process.exitCode = code;
    else this.shared.end(code);
  }

  private get shared(): Shared | undefined {
    return (this.config as { readonly shared?: Shared }).shared;
  }

  /** Ends the command: every error becomes one message and one exit code. */
  protected override async catch(error: unknown): Promise<void> {
    const reason: unknown = this.interrupt?.signal.aborted
      ? this.interrupt.signal.reason
      : undefined;
    if (reason instanceof OutputClosed || isBrokenPipe(error)) return;
    const cause = isStdoutFailure(error) ? unwritable(error) : error;
    // The error of interrupted work says more than the interruption: it tells what was left.
    const said = isInterruption(reason) && isInterruption(cause);
    const root = reason === undefined || said ? cause : reason;
    const problem = toProblem(root, `pail ${(this.id ?? "").replaceAll(":", " ")}`);
    const shown =
      this.context === undefined ? problem : await suggestBucket(this.context, this.argv, problem);
    this.endWith(shown.exitCode);
    const output = this.makeOutput();
    output.error(shown);
    if (!this.flagGiven("debug")) return;
    const { stackOf } = await import("./stack.js");
    process.stderr.write(`${stackOf(problem)}\n`);
  }

  protected override async finally(thrown: Error | undefined): Promise<void> {
    this.context?.close();
    this.interrupt?.release();
    try {
      await this.output?.flush();
    } catch (lost) {
      if (thrown === undefined) await this.catch(lost);
    }
  }

  private makeOutput(): Output {
    this.output ??=
      this.shared?.output ??
      createOutput({
        json: this.flagGiven("json"),
        quiet: this.flagGiven("quiet", "q"),
        stdout: process.stdout,
        stderr: process.stderr,
      });
    return this.output;
  }

  // An error may come before or from parsing: then the raw arguments have to do, clusters too.
  private flagGiven(name: string, short?: string): boolean {
    if (this.given !== undefined) return this.given[name] === true;
    const end = this.argv.indexOf("--");
    const flags = end < 0 ? this.argv : this.argv.slice(0, end);
    const inCluster = (word: string) => /^-[a-z]+$/i.test(word) && word.includes(short!);
    return flags.some((word) => word === `--${name}` || (short !== undefined && inCluster(word)));
  }
}

type Flags = Interfaces.OutputFlags<Interfaces.FlagInput>;
type Args = Interfaces.OutputArgs<Interfaces.ArgInput>;

/** Throws for `--recursive=true`, which the parser would turn into an argument. */
function requireNoValues(argv: readonly string[], flags: Readonly<Record<string, unknown>>): void {
  const end = argv.indexOf("--");
  for (const word of end < 0 ? argv : argv.slice(0, end)) {
    const name = /^--([\w-]+)=/.exec(word)?.[1];
    const flag = name === undefined ? undefined : (flags[name] as { type?: string } | undefined);
    if (flag?.type !== "boolean") continue;
    throw usageError(
      "InvalidFlag",
      `--${name} takes no value`,
      `write --${name} for yes, and leave it out for no`,
    );
  }
}

/** The environment, with flags in place of variables: `--retries` for the one AWS tools read. */
function environment(flags: object): NodeJS.ProcessEnv {
  const { retries, "request-payer": payer } = flags as {
    readonly retries?: number;
    readonly "request-payer"?: boolean;
  };
  return {
    ...process.env,
    ...(retries === undefined ? {} : { AWS_MAX_ATTEMPTS: String(retries + 1) }),
    ...(payer === true ? { PAIL_REQUEST_PAYER: "requester" } : {}),
  };
}

function isInterruption(error: unknown): boolean {
  return isAppError(error) && error.kind === "interrupted";
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE" && isWrite(error);
}

function isStdoutFailure(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && error.code !== "EPIPE" && isWrite(error);
}

/** Failures of stdout itself carry the system call and no path or address. */
function isWrite(error: Error): boolean {
  return "syscall" in error && error.syscall === "write" && !("path" in error);
}

function sayTrace(lines: readonly string[]): void {
  process.stderr.write(`${lines.join("\n")}\n`);
}
