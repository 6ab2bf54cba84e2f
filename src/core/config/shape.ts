/**
 * The shape of the config file, checked by hand: a schema library would cost every command more
 * time to load than everything else it does at the start.
 */
import { CHECKSUM_ALGORITHMS } from "../../protocol/checksum.js";
import { DIALECT_PRESETS, type Dialect } from "../../protocol/dialect.js";
import { AppError } from "../failures/errors.js";
import { shellWord } from "../failures/shell-word.js";
import type { AliasConfig, ConfigFile } from "./types.js";

export const EMPTY_CONFIG: ConfigFile = { version: 1, aliases: {} };

/** The pattern of an alias's name. */
export const ALIAS_NAME = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === "string" ? undefined : "must be text");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");
const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value as string) ? undefined : `must be one of ${words.join(", ")}`;

const URL_CHECK: Check = (value) =>
  typeof value === "string" && isEndpoint(value) ? undefined : "must be an http or https URL";

const ALIAS_FIELDS: Readonly<Record<keyof AliasConfig, Check>> = {
  url: URL_CHECK,
  accessKey: text,
  secretKey: text,
  sessionToken: text,
  region: text,
  pathStyle: oneOf("auto", "on", "off"),
  dialect: (value) => (isDialect(value) ? undefined : "must name a preset or give four words"),
  caFile: text,
  insecure: flag,
  credentials: oneOf("static", "chain", "anonymous"),
  profile: text,
  checksum: oneOf(...CHECKSUM_ALGORITHMS, "signed", "none"),
  checksumMode: oneOf("off"),
};

/** Whether a text can be the URL of an endpoint. */
export function isEndpoint(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}

function isDialect(value: unknown): value is string | Dialect {
  if (typeof value === "string") return Object.hasOwn(DIALECT_PRESETS, value);
  const word = (name: string) => isRecord(value) && typeof value[name] === "string" && value[name];
  return Boolean(word("scheme") && word("infix") && word("service") && word("terminator"));
}

/**
 * The config in parsed JSON. Unknown fields are kept, for the version of pail that knows them.
 * Throws an AppError (usage, ConfigCorrupt) that names the file and the field.
 */
export function checkConfig(value: unknown, file: string): ConfigFile {
  if (!isRecord(value)) throw corrupt(file, "it is not a JSON object");
  if (value["version"] !== 1) {
    throw corrupt(file, `"version" is ${JSON.stringify(value["version"])}, not 1`);
  }
  const { aliases, tui } = value;
  if (!isRecord(aliases)) throw corrupt(file, '"aliases" is not an object');
  if (tui !== undefined && !isRecord(tui)) throw corrupt(file, '"tui" is not an object');
  for (const [name, alias] of Object.entries(aliases)) {
    if (!ALIAS_NAME.test(name)) throw corrupt(file, `${JSON.stringify(name)} cannot name an alias`);
    if (!isRecord(alias)) throw corrupt(file, `the alias ${name} is not an object`);
    for (const [field, check] of Object.entries(ALIAS_FIELDS)) {
      if (alias[field] === undefined && field !== "url") continue;
      const problem = check(alias[field]);
      if (problem !== undefined) throw corrupt(file, `"${field}" of the alias ${name} ${problem}`);
    }
  }
  return value as unknown as ConfigFile;
}

/** The error for a config file that cannot be understood; the file itself stays as it is. */
export function corrupt(file: string, reason: string, cause?: unknown): AppError {
  return new AppError({
    kind: "usage",
    code: "ConfigCorrupt",
    message: `the config file ${file} cannot be used: ${reason}`,
    hint: `correct it, or move it away and set the aliases anew: mv ${shellWord(file)} ${shellWord(`${file}.broken`)}`,
    cause,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
