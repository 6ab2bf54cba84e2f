/** Turns whatever was thrown into the one kind of error that is shown. */
import { toAppError } from "../core/failures/map.js";
import { kindOf } from "../core/failures/words.js";
import { AppError, isAppError, usageError } from "../core/failures/errors.js";
import { closest } from "../core/suggest.js";
import { cureOfFlag, LEFT_OUT, OTHER_WORDS } from "./other-tools.js";

/** The details that oclif's parser attaches to its errors; its classes are not exported. */
interface ParseFailure extends Error {
  readonly oclif?: unknown;
  readonly flags?: readonly string[];
  readonly args?: readonly (string | { readonly name: string })[];
  readonly parse?: {
    readonly input: {
      readonly flags?: Readonly<Record<string, unknown>>;
      readonly args?: Readonly<Record<string, { readonly required?: boolean }>>;
    };
    readonly output?: { readonly argv?: readonly unknown[] };
  };
}

/**
 * The AppError for a caught value: itself, a usage error for words that the parser refused, or the
 * core's error for a system failure. An error that nobody foresaw is a bug in pail.
 */
export function toProblem(error: unknown, command: string): AppError {
  if (isAppError(error)) return error;
  if (error instanceof Error && "oclif" in error) return usage(error, command);
  if (isStoreError(error)) {
    const { code, status, message } = error;
    return new AppError({ kind: kindOf(code, status), code, message, cause: error });
  }
  const mapped = toAppError(error);
  if (mapped.kind !== "bug") return mapped;
  return new AppError({
    kind: "bug",
    code: mapped.code,
    message: `this is a bug in pail: ${mapped.message}`,
    hint: "run the command again with --debug to see where, and report what it prints",
    cause: error,
  });
}

/** Whether the embedded store threw it when it was asked directly, as for its access keys. */
function isStoreError(error: unknown): error is Error & { code: string; status: number } {
  return error instanceof Error && error.name === "StoreError" && "status" in error;
}

function usage(error: ParseFailure, command: string): AppError {
  const help = `${command} --help`;
  const make = (code: string, message: string, hint = help) =>
    new AppError({ kind: "usage", code, message, hint, cause: error });

  if (error.flags !== undefined) {
    const known = Object.keys(error.parse?.input.flags ?? {}).map((name) => `--${name}`);
    const flag = nameOf(error.flags[0]!);
    return make("UnknownFlag", `unknown flag ${flag}`, cureOf(flag, known, command) ?? help);
  }
  const names = error.args?.map((arg) => (typeof arg === "string" ? `"${arg}"` : arg.name));
  if (names !== undefined) {
    const missing = error.args!.some((arg) => typeof arg !== "string");
    return missing
      ? make("MissingArgument", `missing argument: ${missingNames(error, names).toUpperCase()}`)
      : make("UnexpectedArgument", `unexpected argument: ${names.join(", ")}`);
  }
  const value = /^Parsing (--\S+)\s+(.*)/.exec(error.message);
  if (value !== null) return make("InvalidFlag", `${value[1]}: ${lowerFirst(value[2]!)}`);
  const [first = "bad usage"] = error.message
    .replace(/^The following errors? occurred:\s*/, "")
    .split("\n");
  // The parser shows the value of a flag that takes none.
  return make("InvalidUsage", lowerFirst(first.replaceAll(/(--[\w-]+)=true\b/g, "$1")));
}

/**
 * The arguments that are missing after those that were given. The parser fills the last argument
 * first, and so names the wrong one of `cp FILE`.
 */
function missingNames({ parse }: ParseFailure, names: readonly string[]): string {
  const required = Object.entries(parse?.input.args ?? {}).filter(([, arg]) => arg.required);
  const left = required.slice(parse?.output?.argv?.length ?? required.length);
  return left.length === 0 ? names.join(", ") : left.map(([name]) => name).join(", ");
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The name of a flag in a word that may hold its value, too. */
const nameOf = (word: string): string => word.replace(/=.*/s, "");

function cureOf(flag: string, known: readonly string[], command: string): string | undefined {
  const near = closest(flag, known);
  return cureOfFlag(flag, known, command) ?? (near && `did you mean ${near}?`);
}

/** An unknown command, with the nearest one there is; `typed` is the whole command line. */
export function unknownCommand(typed: readonly string[], commands: readonly string[]): AppError {
  if (typed[0]?.startsWith("-") === true) {
    const flag = nameOf(typed[0]);
    const cure = cureOfFlag(flag, [], "") ?? "flags stand behind their command: pail --help";
    return usageError("UnknownFlag", `unknown flag ${flag}`, cure);
  }
  const [first = "", second = ""] = typed.filter((word) => !word.startsWith("-"));
  const inTopic = commands.some((name) => name.startsWith(`${first} `));
  const ofAws = first === "s3" && second !== "";
  const words = inTopic || ofAws ? `${first} ${second}` : first;
  const meant = ofAws ? second : words;
  const near = OTHER_WORDS[meant] ?? closest(meant, commands);
  const elsewhere = LEFT_OUT.find(([left]) => left.test(meant))?.[1];
  const help = near === undefined ? `pail ${inTopic ? `${first} ` : ""}--help` : undefined;
  return usageError(
    "UnknownCommand",
    `there is no command "${words.trim()}"`,
    elsewhere ?? help ?? `did you mean pail ${near}?`,
  );
}
