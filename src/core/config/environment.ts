/** Aliases and credentials that the environment gives. */
import { type AppError, usageError } from "../failures/errors.js";
import { ALIAS_NAME, isEndpoint } from "./shape.js";
import type { AliasConfig, Environment } from "./types.js";

/** Ours first: it wins over mc's for the same name. */
const PREFIXES = ["PAIL_HOST_", "MC_HOST_"] as const;

export interface EnvironmentAlias {
  readonly config: AliasConfig;
  /** The variable it came from. */
  readonly variable: string;
}

/**
 * The aliases in `PAIL_HOST_<alias>` and, as mc has it, `MC_HOST_<alias>`. A name is as it stands
 * in the variable's, upper and lower case apart. Throws an AppError (usage, BadHostVariable) for a
 * value that is not such a URL; the error does not repeat the value, which may hold a secret.
 */
export function environmentAliases(env: Environment): Map<string, EnvironmentAlias> {
  const aliases = new Map<string, EnvironmentAlias>();
  for (const prefix of PREFIXES) {
    for (const variable in env) {
      const value = env[variable];
      if (!variable.startsWith(prefix) || !value) continue;
      const name = variable.slice(prefix.length);
      if (aliases.has(name) || !ALIAS_NAME.test(name)) continue;
      aliases.set(name, { config: parseHost(value, variable), variable });
    }
  }
  return aliases;
}

/**
 * `https://ACCESS:SECRET[:TOKEN]@host[:port]`, or without `ACCESS:SECRET@` for anonymous access.
 * Nothing is percent-decoded: keys are written as they are, so that a secret may hold `/`, `+` and
 * `@`; what is behind the last `@` is the host.
 */
function parseHost(value: string, variable: string): AliasConfig {
  const match = /^(https?:\/\/)(?:(.*)@)?([^@]+)$/is.exec(value);
  if (match === null || !isEndpoint(match[1]! + match[3]!)) throw badHost(variable);
  const url = match[1]! + match[3]!;
  if (match[2] === undefined) return { url, credentials: "anonymous" };
  const [accessKey, secretKey, ...token] = match[2].split(":");
  return {
    url,
    accessKey,
    secretKey,
    ...(token.length > 0 ? { sessionToken: token.join(":") } : {}),
  };
}

function badHost(variable: string): AppError {
  return usageError(
    "BadHostVariable",
    `the variable ${variable} is not the address of an endpoint`,
    `export ${variable}=https://ACCESS_KEY:SECRET_KEY@HOST`,
  );
}
