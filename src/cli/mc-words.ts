/** mc's command lines in pail's words: one table, and the code that reads words by it. */
import { AppError, usageError } from "../core/failures/errors.js";

/** The words that a flag becomes; a name that ends with `=` takes a value. */
type Rule = readonly string[] | ((value: string) => readonly string[]);
type Rules = Readonly<Record<string, Rule>>;

interface Verb {
  /** Pail's command; without it, the word is the same as mc's. */
  readonly to?: readonly string[];
  readonly flags?: Rules;
  /** Rewrites the words that are no flags. */
  readonly words?: (words: string[]) => string[];
}

const value =
  (flag: string): Rule =>
  (text) => [flag, text];
const DROPPED: Rule = [];

/** `k=v;k2=v2` and `k=v&k2=v2`, a flag each. */
const pairs =
  (flag: string, separator: string): Rule =>
  (text) =>
    text.split(separator).flatMap((pair) => [flag, pair]);

const RECURSIVE: Rules = { r: ["-r"], recursive: ["-r"] };
const VERSION: Rules = { "version-id=": value("--version-id"), "vid=": value("--version-id") };
const AGE: Rules = { "older-than=": value("--older-than"), "newer-than=": value("--newer-than") };
const AT: Rules = { "rewind=": value("--at"), "limit-upload=": value("--limit-upload") };
const CLASS: Rule = (text) => ["--header", `x-amz-storage-class=${text}`];
const WRITES: Rules = {
  "attr=": pairs("--metadata", ";"),
  "tags=": pairs("--tag", "&"),
  "storage-class=": value("--storage-class"),
  "sc=": value("--storage-class"),
  "enc-s3=": () => ["--sse", "AES256"],
  "enc-kms=": (text) => ["--sse", `aws:kms:${text.slice(text.indexOf("=") + 1)}`],
  "disable-multipart": DROPPED,
  md5: DROPPED,
};
const COPIES: Rules = {
  ...RECURSIVE,
  ...VERSION,
  ...AGE,
  ...AT,
  ...WRITES,
  a: ["--preserve"],
  preserve: ["--preserve"],
  c: DROPPED,
  continue: DROPPED,
};
const tagWords = ([action = "", target = "", ...tags]: string[]) => [
  action,
  target,
  ...tags.flatMap((text) => text.split("&")),
];

const lockVerb = (action: string) => ({ info: "get", clear: "remove" })[action] ?? action;

const VERBS: Readonly<Record<string, Verb>> = {
  ls: {
    flags: {
      ...RECURSIVE,
      ...AT,
      versions: ["--versions"],
      summarize: ["--summarize"],
      I: ["incomplete"],
      incomplete: ["incomplete"],
    },
  },
  cp: { flags: COPIES },
  mv: { flags: COPIES },
  put: { to: ["cp"], flags: { ...COPIES, "if-not-exists": ["-n"] } },
  get: { to: ["cp"], flags: COPIES },
  od: {
    to: ["cp"],
    words: (words) =>
      ["if=", "of="].map((name) => words.find((word) => word.startsWith(name))?.slice(3) ?? ""),
  },
  mirror: {
    flags: {
      ...AGE,
      ...WRITES,
      "storage-class=": CLASS,
      "sc=": CLASS,
      a: ["--preserve"],
      preserve: ["--preserve"],
      overwrite: ["--overwrite"],
      remove: ["--remove"],
      w: ["--watch"],
      watch: ["--watch"],
      "dry-run": ["--dry-run"],
      fake: ["--dry-run"],
      "exclude=": value("--exclude"),
    },
  },
  rm: {
    flags: {
      ...RECURSIVE,
      ...VERSION,
      ...AGE,
      force: ["--force"],
      versions: ["--versions"],
      stdin: ["--stdin"],
      "dry-run": ["--dry-run"],
      fake: ["--dry-run"],
      dangerous: DROPPED,
    },
  },
  mb: {
    flags: {
      p: ["-p"],
      "ignore-existing": ["-p"],
      l: ["--with-lock"],
      "with-lock": ["--with-lock"],
      "with-versioning": ["--with-versioning"],
      "region=": DROPPED,
    },
  },
  rb: { flags: { force: ["--force"], dangerous: ["dangerous"] } },
  cat: { flags: { ...VERSION, ...AT } },
  head: { flags: { ...VERSION, "n=": value("-n"), "lines=": value("-n") } },
  pipe: { flags: WRITES },
  stat: { flags: { ...VERSION, ...AT, versions: ["--versions"] } },
  tree: { flags: { f: ["-f"], files: ["-f"], "d=": value("-d"), "depth=": value("-d") } },
  du: {
    flags: {
      r: DROPPED,
      recursive: DROPPED,
      versions: ["--versions"],
      "d=": value("-d"),
      "depth=": value("-d"),
    },
  },
  find: {
    flags: {
      ...AGE,
      "name=": value("--name"),
      "path=": value("--path"),
      "regex=": value("--regex"),
      "larger=": value("--larger"),
      "smaller=": value("--smaller"),
      "maxdepth=": value("--max-depth"),
      versions: ["--versions"],
    },
  },
  diff: {},
  share: {
    flags: { ...RECURSIVE, ...VERSION, "expire=": value("--expires"), "E=": value("--expires") },
  },
  tag: { flags: VERSION, words: tagWords },
  version: { words: ([action = "", ...rest]) => [action === "info" ? "status" : action, ...rest] },
  anonymous: { words: ([action = "", ...rest]) => [action === "list" ? "get" : action, ...rest] },
  ilm: {
    flags: {
      "id=": value("--id"),
      "prefix=": value("--prefix"),
      "tags=": pairs("--tag", "&"),
      "expire-days=": value("--expire-days"),
      "noncurrent-expire-days=": value("--noncurrent-days"),
      "transition-days=": value("--transition-days"),
      "transition-tier=": value("--class"),
      force: DROPPED,
    },
    words: ([action = "", ...rest]) => {
      const [verb = "", ...places] = action === "rule" ? rest : [action, ...rest];
      const own = { ls: "list", rm: "drop", remove: "drop", export: "get", import: "set" };
      // An import reads stdin.
      const file = verb === "import" ? ["-"] : [];
      return [own[verb as keyof typeof own] ?? verb, ...places, ...file];
    },
  },
  retention: {
    to: ["lock"],
    flags: { ...VERSION, default: DROPPED, bypass: ["--bypass"] },
    words: ([action = "", ...rest]) => {
      if (action !== "set") return [lockVerb(action), ...rest];
      const [mode = "", time = "", ...places] = rest;
      return ["set", ...places, "--mode", mode.toLowerCase(), "--for", time];
    },
  },
  legalhold: {
    to: ["lock"],
    flags: VERSION,
    words: ([action = "", ...rest]) =>
      action === "info"
        ? ["get", ...rest]
        : ["set", ...rest, "--legal-hold", action === "set" ? "on" : "off"],
  },
  cors: {},
  alias: {
    flags: { "api=": DROPPED, "path=": value("--path-style") },
    words: ([action = "", ...rest]) => [
      { ls: "list", rm: "remove", s: "set" }[action] ?? action,
      ...rest,
    ],
  },
  ping: {},
  ready: { to: ["ping"] },
};

const GLOBAL: Rules = {
  json: ["--json"],
  q: ["-q"],
  quiet: ["-q"],
  debug: ["--debug"],
  "no-color": DROPPED,
  "disable-pager": DROPPED,
  dp: DROPPED,
};

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
    const rules = { ...GLOBAL, ...verb?.flags };
    if (name === "C" || name === "config-dir") configDir = next();
    else if (verb === undefined && /^v(?:ersion)?$/.test(name)) {
      return { command: "--version", flags, words, configDir, keys };
    } else if (name === "enc-c") {
      for (const pair of next().split(",")) keys.set(...cut(pair));
    } else if (Object.hasOwn(rules, `${name}=`)) {
      const rule = rules[`${name}=`]!;
      const taken = next();
      flags.push(...(typeof rule === "function" ? rule(taken) : rule));
    } else if (Object.hasOwn(rules, name)) flags.push(...(rules[name] as readonly string[]));
    else throw unknown(`pail has nothing for "${word}" of mc ${command}`.trimEnd());
  }
  if (verb === undefined) throw unknown("no command of mc's is named");
  return {
    command: verb.to?.join(" ") ?? command,
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
