/** mc's command lines in pail's words: one table, and the code that reads words by it. */
import { AppError, usageError } from "../core/failures/errors.js";

/** Flags of mc's, one that ends with `=` with a value, and the flag or the words they become; "" for none. */
type Rule = readonly [theirs: string, ours: string | ((value: string) => readonly string[])];

interface Verb {
  /** Pail's command; without it, the word is the same as mc's. */
  readonly to?: string;
  readonly flags?: readonly Rule[];
  /** Rewrites the words that are no flags. */
  readonly words?: (words: string[]) => string[];
}

/** Flags that pail has under the same name. */
const same = (names: string): Rule[] =>
  names.split(" ").map((name) => [name, `--${name.replace("=", "")}`]);

/** `k=v;k2=v2` and `k=v&k2=v2`, a flag each. */
const pairs = (flag: string, separator: string) => (text: string) =>
  text.split(separator).flatMap((pair) => [flag, pair]);

const RECURSIVE: Rule = ["r recursive", "-r"];
const VERSION: Rule = ["version-id= vid=", "--version-id"];
const DEPTH: Rule = ["d= depth=", "-d"];
const DRY_RUN: Rule = ["dry-run fake", "--dry-run"];
const PRESERVE: Rule = ["a preserve", "--preserve"];
const AGE = same("older-than= newer-than=");
const AT: Rule = ["rewind=", "--at"];
const LIMITS = same("limit-upload= limit-download=");
const WRITES: Rule[] = [
  ["attr=", pairs("--metadata", ";")],
  ["tags=", pairs("--tag", "&")],
  ["storage-class= sc=", "--storage-class"],
  ["enc-s3=", () => ["--sse", "AES256"]],
  ["enc-kms=", (text) => ["--sse", `aws:kms:${text.slice(text.indexOf("=") + 1)}`]],
  ["disable-multipart md5", ""],
];
const RESUMES: Rule = ["c continue", ""];
const COPIES = [RECURSIVE, VERSION, ...AGE, AT, ...LIMITS, ...WRITES, PRESERVE, RESUMES];
const tagWords = ([action = "", target = "", ...tags]: string[]) => [
  action,
  target,
  ...tags.flatMap((text) => text.split("&")),
];

const lockVerb = (action: string) => ({ info: "get", clear: "remove" })[action] ?? action;

const VERBS: Readonly<Record<string, Verb>> = {
  ls: {
    flags: [RECURSIVE, AT, ...same("versions summarize"), ["I incomplete", "incomplete"]],
  },
  cp: { flags: COPIES },
  mv: { flags: COPIES },
  put: { to: "cp", flags: [...COPIES, ["if-not-exists", "-n"]] },
  get: { to: "cp", flags: COPIES },
  od: {
    to: "cp",
    flags: LIMITS,
    words: (words) =>
      ["if=", "of="].map((name) => words.find((word) => word.startsWith(name))?.slice(3) ?? ""),
  },
  mirror: {
    flags: [
      ["storage-class= sc=", (text) => ["--header", `x-amz-storage-class=${text}`]],
      ...AGE,
      ...LIMITS,
      ...WRITES,
      ...same("overwrite remove exclude="),
      ["w watch", "--watch"],
      PRESERVE,
      DRY_RUN,
    ],
  },
  rm: {
    flags: [
      RECURSIVE,
      VERSION,
      ...AGE,
      ...same("force versions stdin"),
      DRY_RUN,
      ["dangerous", ""],
    ],
  },
  mb: {
    flags: [
      ["p ignore-existing", "-p"],
      ["l with-lock", "--with-lock"],
      ...same("with-versioning"),
      ["region=", ""],
    ],
  },
  rb: { flags: [...same("force"), ["dangerous", "dangerous"]] },
  cat: { flags: [VERSION, AT] },
  head: { flags: [VERSION, ["n= lines=", "-n"]] },
  pipe: { flags: [...WRITES, ...LIMITS] },
  stat: { flags: [VERSION, AT, ...same("versions")] },
  tree: { flags: [["f files", "-f"], DEPTH] },
  du: { flags: [["r recursive", ""], ...same("versions"), DEPTH] },
  find: {
    flags: [
      ...AGE,
      ...same("name= path= regex= larger= smaller= versions"),
      ["maxdepth=", "--max-depth"],
    ],
  },
  diff: {},
  share: { flags: [RECURSIVE, VERSION, ["expire= E=", "--expires"]] },
  tag: { flags: [VERSION], words: tagWords },
  version: { words: ([action = "", ...rest]) => [action === "info" ? "status" : action, ...rest] },
  anonymous: { words: ([action = "", ...rest]) => [action === "list" ? "get" : action, ...rest] },
  ilm: {
    flags: [
      ...same("id= prefix= expire-days= transition-days="),
      ["tags=", pairs("--tag", "&")],
      ["noncurrent-expire-days=", "--noncurrent-days"],
      ["transition-tier=", "--class"],
      ["force", ""],
    ],
    words: ([action = "", ...rest]) => {
      const [verb = "", ...places] = action === "rule" ? rest : [action, ...rest];
      const own = { ls: "list", rm: "drop", remove: "drop", export: "get", import: "set" };
      // An import reads stdin.
      const file = verb === "import" ? ["-"] : [];
      return [own[verb as keyof typeof own] ?? verb, ...places, ...file];
    },
  },
  retention: {
    to: "lock",
    flags: [VERSION, ["default", ""], ...same("bypass")],
    words: ([action = "", ...rest]) => {
      if (action !== "set") return [lockVerb(action), ...rest];
      const [mode = "", time = "", ...places] = rest;
      return ["set", ...places, "--mode", mode.toLowerCase(), "--for", time];
    },
  },
  legalhold: {
    to: "lock",
    flags: [VERSION],
    words: ([action = "", ...rest]) =>
      action === "info"
        ? ["get", ...rest]
        : ["set", ...rest, "--legal-hold", action === "set" ? "on" : "off"],
  },
  cors: {},
  alias: {
    flags: [
      ["api=", ""],
      ["path=", "--path-style"],
    ],
    words: ([action = "", ...rest]) => [
      { ls: "list", rm: "remove", s: "set" }[action] ?? action,
      ...rest,
    ],
  },
  ping: {},
  ready: { to: "ping" },
};

const GLOBAL: Rule[] = [
  ...same("json debug"),
  ["q quiet", "-q"],
  ["no-color disable-pager dp", ""],
  // Of a command that uploads nothing.
  ["limit-upload=", ""],
];

export interface McCall {
  /** A command of pail's, or `--version`; the flags `incomplete` and `dangerous` are still to be handled. */
  readonly command: string;
  readonly flags: readonly string[];
  readonly words: readonly string[];
  /** `--config-dir`. */
  readonly configDir: string | undefined;
  /** The keys of `--enc-c`, by prefix of locations. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Reads a command line of mc's. Throws a usage error for words that pail has nothing for. */
export function readMc(argv: readonly string[]): McCall {
  const flags: string[] = [];
  const words: string[] = [];
  const keys = new Map<string, string>();
  let configDir: string | undefined;
  let verb: Verb | undefined;
  let command = "";
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (!/^-./.test(word)) {
      if (verb !== undefined) words.push(word);
      else {
        verb = VERBS[word];
        if (verb === undefined) throw unknown(`pail has nothing for "mc ${word}"`);
        command = word;
      }
      continue;
    }
    const [, name = "", given] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const next = () => given ?? argv[(at += 1)] ?? "";
    const rules = [...(verb?.flags ?? []), ...GLOBAL];
    const named = (flag: string) => rules.find(([theirs]) => theirs.split(" ").includes(flag))?.[1];
    const [valued, plain] = [named(`${name}=`), named(name)];
    if (name === "C" || name === "config-dir") configDir = next();
    else if (verb === undefined && /^v(?:ersion)?$/.test(name)) {
      return { command: "--version", flags, words, configDir, keys };
    } else if (name === "enc-c") {
      for (const pair of next().split(",")) keys.set(...cut(pair));
    } else if (valued !== undefined) {
      const taken = next();
      if (typeof valued === "function") flags.push(...valued(taken));
      else if (valued !== "") flags.push(valued, taken);
    } else if (plain === undefined) {
      throw unknown(`pail has nothing for "${word}" of mc ${command}`.trimEnd());
    } else if (typeof plain === "string" && plain !== "") flags.push(plain);
  }
  if (verb === undefined) throw unknown("no command of mc's is named");
  return {
    command: verb.to ?? command,
    flags,
    words: verb.words?.(words) ?? words,
    configDir,
    keys,
  };
}

function cut(pair: string): [prefix: string, key: string] {
  const at = pair.indexOf("=");
  return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
}

/** The key of `--enc-c` for a location: the one of the longest prefix that it begins with. */
export function keyOf({ keys }: McCall, location: string): string | undefined {
  const fitting = [...keys.keys()].filter((prefix) => location.startsWith(prefix));
  const longest = fitting.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : keys.get(longest);
}

function unknown(message: string): AppError {
  return usageError("UnknownCommand", message, "pail mc --help");
}
