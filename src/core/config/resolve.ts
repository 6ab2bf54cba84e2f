/**
 * From names to endpoints: the environment's aliases, then the file's, then the built-in ones. Pure
 * functions of their inputs, but for the look at whether AWS's files are there.
 */
import { AWS_DIALECT, DIALECT_PRESETS, type Dialect } from "../../protocol/dialect.js";
import { type AppError, usageError } from "../failures/errors.js";
import { closest } from "../suggest.js";
import { AWS_ALIAS, awsAlias } from "./aws.js";
import { environmentAliases } from "./environment.js";
import { setCommand } from "./set-command.js";
import { ALIAS_NAME, isEndpoint } from "./shape.js";
import type { AliasConfig, ConfigFile, Origin, ResolvedAlias, Environment } from "./types.js";

/** The alias of the embedded store. */
export const LOCAL_ALIAS = "local";
export const DEFAULT_REGION = "us-east-1";

/** The origin of an alias that lives in the config file. */
export const FILE_ORIGIN = "config.json";

/** Never resolved: requests to it are answered within the process. */
const LOCAL_URL = "http://local.pail.invalid";

/** Every alias that can be named, sorted by name; one whose secret is missing is listed too. */
export function listAliases(env: Environment, file: ConfigFile): ResolvedAlias[] {
  const names = new Set([
    LOCAL_ALIAS,
    ...Object.keys(file.aliases),
    ...environmentAliases(env).keys(),
    ...(awsAlias(env) === undefined ? [] : [AWS_ALIAS]),
  ]);
  return [...names].sort().map((name) => lookUp(name, env, file)!);
}

/**
 * The alias of that name. Throws an AppError (usage): UnknownAlias, with a suggestion; or
 * MissingCredentials when half of its key pair is missing.
 */
export function resolveAlias(name: string, env: Environment, file: ConfigFile): ResolvedAlias {
  const found = lookUp(name, env, file);
  if (found === undefined) throw unknownAlias(name, env, file);
  requireCredentials(found);
  return found;
}

function lookUp(name: string, env: Environment, file: ConfigFile): ResolvedAlias | undefined {
  const fromEnvironment = environmentAliases(env).get(name);
  if (fromEnvironment !== undefined) {
    const { config, variable } = fromEnvironment;
    return complete(name, config, variable, env);
  }
  const fromFile = Object.hasOwn(file.aliases, name) ? file.aliases[name] : undefined;
  if (fromFile !== undefined) return complete(name, fromFile, FILE_ORIGIN, env);
  const aws = name === AWS_ALIAS ? awsAlias(env) : undefined;
  if (aws !== undefined) return complete(name, aws.config, aws.origin, env);
  if (name !== LOCAL_ALIAS) return undefined;
  return complete(name, { url: LOCAL_URL }, "built-in", {});
}

/**
 * Fills in the defaults of an alias. AWS_REGION and AWS_ENDPOINT_URL speak only into an alias that
 * takes its credentials from the same place, and only where the alias leaves the value open.
 */
export function complete(
  name: string,
  config: AliasConfig,
  origin: Origin,
  env: Environment,
): ResolvedAlias {
  const credentials = config.credentials ?? "static";
  const isChain = credentials === "chain";
  const url = (isChain && endpointFrom(env)) || new URL(config.url);
  const region =
    config.region || (isChain && (env["AWS_REGION"] || env["AWS_DEFAULT_REGION"])) || undefined;
  return {
    name,
    url,
    region: region ?? DEFAULT_REGION,
    regionUnknown: isChain && region === undefined ? true : undefined,
    pathStyle: config.pathStyle ?? "auto",
    dialect: dialectOf(config.dialect),
    credentials,
    accessKey: config.accessKey || undefined,
    secretKey: config.secretKey || undefined,
    sessionToken: config.sessionToken || undefined,
    profile: config.profile,
    caFile: config.caFile,
    insecure: config.insecure ?? false,
    checksum: config.checksum,
    checksumMode: config.checksumMode,
    origin,
  };
}

function endpointFrom(env: Environment): URL | undefined {
  const value = env["AWS_ENDPOINT_URL"];
  if (!value) return undefined;
  if (isEndpoint(value)) return new URL(value);
  const message = "AWS_ENDPOINT_URL is not an http or https URL";
  throw usageError("BadEndpoint", message);
}

function dialectOf(dialect: string | Dialect | undefined): Dialect {
  if (dialect === undefined) return AWS_DIALECT;
  if (typeof dialect !== "string") return dialect;
  const preset = Object.hasOwn(DIALECT_PRESETS, dialect) ? DIALECT_PRESETS[dialect] : undefined;
  if (preset !== undefined) return preset;
  throw usageError(
    "UnknownDialect",
    `there is no dialect ${dialect}`,
    `one of ${Object.keys(DIALECT_PRESETS).join(", ")}, or four words: scheme,infix,service,terminator`,
  );
}

/** Throws MissingCredentials when an alias that needs a key pair has not got both halves. */
function requireCredentials(alias: ResolvedAlias): void {
  const { name, credentials, accessKey, secretKey, origin } = alias;
  if (credentials !== "static" || origin === "built-in") return;
  if (accessKey !== undefined && secretKey !== undefined) return;
  const missing =
    accessKey !== undefined ? "secret key" : secretKey !== undefined ? "access key" : "key pair";
  throw usageError(
    "MissingCredentials",
    `the alias ${name} (${origin}) has no ${missing}`,
    setCommand(alias),
  );
}

function unknownAlias(name: string, env: Environment, file: ConfigFile): AppError {
  const near = closest(
    name,
    listAliases(env, file).map((alias) => alias.name),
  );
  return usageError(
    "UnknownAlias",
    `there is no alias ${JSON.stringify(name)}`,
    name === AWS_ALIAS
      ? "export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…, or AWS_PROFILE=…"
      : near !== undefined
        ? `did you mean ${near}?`
        : ALIAS_NAME.test(name)
          ? `pail alias set ${name} URL`
          : "pail alias list",
  );
}
