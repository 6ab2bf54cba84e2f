/** Makes an alias from the arguments of `alias set`, and tries it. */
import { resolve as resolvePath } from "node:path";

import type { Context } from "../context.js";
import { resolveAlias } from "../core/config/resolve.js";
import { ALIAS_NAME, isEndpoint } from "../core/config/shape.js";
import type { AliasConfig } from "../core/config/types.js";
import { AppError, isAppError, usageError } from "../core/failures/errors.js";
import { bucketService } from "../core/storage/buckets.js";
import { DIALECT_PRESETS, type Dialect } from "../protocol/dialect.js";
import { ask, canAsk, readSecret } from "./prompt.js";

/** Arguments and flags of `alias set`. */
export interface AliasInput {
  readonly name: string;
  readonly url: string;
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly "secret-key-stdin": boolean;
  readonly region?: string | undefined;
  readonly "path-style"?: "auto" | "on" | "off" | undefined;
  readonly dialect?: string | undefined;
  readonly "session-token"?: string | undefined;
  readonly "ca-file"?: string | undefined;
  readonly insecure: boolean;
  readonly credentials?: "static" | "chain" | "anonymous" | undefined;
  readonly profile?: string | undefined;
}

/** The alias as the file will keep it; asks for keys that are missing. Throws usage errors. */
export async function aliasConfig(input: AliasInput, signal: AbortSignal): Promise<AliasConfig> {
  if (!ALIAS_NAME.test(input.name)) {
    throw usageError(
      "InvalidAlias",
      `"${input.name}" cannot name an alias`,
      "a name begins with a letter and goes on with letters, digits, - and _",
    );
  }
  if (!isEndpoint(input.url)) {
    throw usageError(
      "InvalidAlias",
      `"${input.url}" is not an endpoint`,
      "write it as https://host or http://host:port",
    );
  }
  const { username, password } = new URL(input.url);
  if (username !== "" || password !== "") {
    throw usageError(
      "InvalidAlias",
      "the endpoint's URL has a key pair in it, which would be shown wherever the URL is",
      "give the keys behind the URL, or take them in with --secret-key-stdin",
    );
  }
  const credentials = input.credentials ?? (input.profile === undefined ? "static" : "chain");
  const keys = credentials === "static" ? await staticKeys(input, signal) : noKeys(input);
  return dropUndefined({
    url: input.url,
    ...keys,
    sessionToken: input["session-token"],
    region: input.region,
    pathStyle: input["path-style"],
    dialect: input.dialect === undefined ? undefined : parseDialect(input.dialect),
    caFile: input["ca-file"] === undefined ? undefined : resolvePath(input["ca-file"]),
    insecure: input.insecure || undefined,
    credentials: credentials === "static" ? undefined : credentials,
    profile: input.profile,
  });
}

async function staticKeys(input: AliasInput, signal: AbortSignal) {
  const fromStdin = input["secret-key-stdin"];
  const mayAsk = canAsk() && !fromStdin;
  const accessKey = input.accessKey ?? (mayAsk ? await ask("Access key: ", { signal }) : "");
  if (accessKey === "") {
    throw usageError(
      "InvalidAlias",
      "the access key is missing",
      "give it after the URL; for public buckets use --credentials anonymous",
    );
  }
  const secretKey = fromStdin
    ? await readSecret()
    : (input.secretKey ?? (mayAsk ? await ask("Secret key: ", { hidden: true, signal }) : ""));
  if (secretKey === "") {
    throw usageError(
      "InvalidAlias",
      "the secret key is missing",
      "pipe it in: echo $SECRET | pail alias set … --secret-key-stdin",
    );
  }
  return { accessKey, secretKey };
}

function noKeys(input: AliasInput) {
  if (input.accessKey !== undefined || input["secret-key-stdin"]) {
    throw usageError(
      "InvalidAlias",
      "keys were given, but --credentials says to use none of them",
      "leave one out",
    );
  }
  return {};
}

/** A preset's name, or four words. Throws a usage error. */
export function parseDialect(text: string): string | Dialect {
  if (Object.hasOwn(DIALECT_PRESETS, text)) return text;
  const words = text.split(",").map((word) => word.trim());
  const [scheme, infix, service, terminator] = words;
  if (words.length === 4 && scheme && infix && service && terminator) {
    return { scheme, infix, service, terminator };
  }
  throw usageError(
    "InvalidAlias",
    `"${text}" is not a dialect`,
    `use ${Object.keys(DIALECT_PRESETS).join(", ")} or SCHEME,infix,service,terminator`,
  );
}

/**
 * Asks the endpoint for its buckets with the new credentials. Being denied that list is fine: the
 * signature was understood. Throws what is wrong otherwise.
 */
export async function tryEndpoint(
  context: Context,
  name: string,
  config: AliasConfig,
  signal: AbortSignal,
): Promise<void> {
  const { [`PAIL_HOST_${name}`]: _pail, [`MC_HOST_${name}`]: _mc, ...env } = context.env;
  const alias = resolveAlias(name, env, { version: 1, aliases: { [name]: config } });
  const client = await context.connect(alias);
  try {
    await bucketService(client).list({ signal });
  } catch (error) {
    // A key may well not be allowed to list buckets; a refusal with a remedy is another thing.
    if (isAppError(error) && error.code === "AccessDenied" && error.hint === undefined) return;
    throw isAppError(error) ? withoutAlias(error) : error;
  } finally {
    client.close();
  }
}

function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}

/** The same error for an alias that is not saved yet, so that the list of aliases cannot help. */
function withoutAlias({ kind, code, message, hint, details, cause }: AppError): AppError {
  const own =
    code === "ECONNREFUSED" || code === "ENOTFOUND"
      ? "correct the URL, or add --no-check to save it untried"
      : hint;
  return new AppError({ kind, code, message, hint: own, details, cause });
}
