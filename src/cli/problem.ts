/** Turns whatever was thrown into the one kind of error that is shown. */
import { toAppError } from "../core/failures/map.js";
import { kindOf } from "../core/failures/words.js";
import { AppError, isAppError, usageError } from "../core/failures/errors.js";
import { closest } from "../core/suggest.js";

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

/** The flags of other tools and habits for those of pail. */
const OTHER_FLAGS: Readonly<Record<string, string>> = {
  "-f": "--force",
  "-R": "--recursive",
  "-n": "--dry-run",
  "--dryrun": "--dry-run",
  "--sse-kms-key-id": "--sse",
};

/** The flags of other tools for what an alias says here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "--endpoint-url": "an alias has the endpoint: pail alias set NAME URL",
  "--profile": "an alias has the profile: pail alias set NAME URL --credentials chain --profile P",
  "--region": "an alias has the region: pail alias set NAME URL --region R",
  "--no-sign-request": "pail alias set NAME URL --credentials anonymous",
};

function usage(error: ParseFailure, command: string): AppError {
  const help = `${command} --help`;
  const make = (code: string, message: string, hint = help) =>
    new AppError({ kind: "usage", code, message, hint, cause: error });

  if (error.flags !== undefined) {
    const known = Object.keys(error.parse?.input.flags ?? {}).map((name) => `--${name}`);
    const flag = error.flags[0]!.replace(/=.*/s, "");
    const own = OTHER_FLAGS[flag];
    const near = own !== undefined && known.includes(own) ? own : closest(flag, known);
    const cure = ELSEWHERE[flag] ?? (near === undefined ? help : `did you mean ${near}?`);
    return make("UnknownFlag", `unknown flag ${flag}`, cure);
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

/** The words of other tools for the commands of pail. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  copy: "cp",
  copyto: "cp",
  delete: "rm",
  remove: "rm",
  move: "mv",
  rcat: "pipe",
  mkdir: "mb",
  rmdir: "rb",
  link: "presign",
  signurl: "presign",
  size: "du",
  info: "stat",
  ncdu: "tui",
  configure: "alias set",
  config: "alias set",
  "alias add": "alias set",
  "alias ls": "alias list",
  "alias rm": "alias remove",
  "tag ls": "tag list",
  "tag rm": "tag remove",
  "tag get": "tag list",
  "version info": "version status",
  list: "ls",
  lsjson: "ls",
  upload: "put",
  download: "get",
  purge: "rm",
  check: "diff",
  md5sum: "stat",
  hashsum: "stat",
  ready: "ping",
  watch: "sync --watch",
  retention: "lock",
  legalhold: "lock",
  setpolicy: "policy",
  setacl: "anonymous",
  cleanup: "uploads abort",
  abortmp: "uploads abort",
  multipart: "uploads list",
};

/** The words of other tools for what pail leaves out, and where it is to be had. */
const LEFT_OUT: readonly (readonly [words: RegExp, hint: string])[] = [
  [
    /^(?:event|replicate|notification|website|encrypt|quota|inventory|logging)$/,
    "pail api sends S3's own request for it: pail api --help",
  ],
  [/^(?:admin|support|idp|license)$/, "administering a service is the work of its own tool"],
  [
    /^(?:mount|nfsmount|bisync|sql|select|od|speedtest|batch|update|touch|dedupe)$/,
    "pail leaves this to other tools: docs/coming-from.md",
  ],
];

/** An unknown command, with the nearest one there is; `typed` are the words it may be made of. */
export function unknownCommand(typed: readonly string[], commands: readonly string[]): AppError {
  const [first = "", second = ""] = typed;
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
