/** The services that a server is made with. */
import { type Context, LOCAL_ALIAS } from "../context.js";
import { type EndpointFlags, aliasFromEnvironment } from "../core/config/seed.js";
import type { ResolvedAlias } from "../core/config/types.js";
import { credentialProvider } from "../core/config/credentials.js";
import { AppError, isAppError, invalidArgument } from "../core/failures/errors.js";
import { reachable } from "../core/operations/share.js";
import type { SignedClient } from "../core/http/client.js";
import { bucketService } from "../core/storage/buckets.js";
import { openBucket } from "../core/storage/s3.js";
import type { BucketService, BucketStorage } from "../core/storage/s3-types.js";

/** The storage behind a server: the core, by alias. */
export interface Services {
  /** Names that can be asked for; the first is the default. Never empty. */
  readonly aliases: readonly string[];
  /** The alias of the embedded store, if it is among them: it has no network address of its own. */
  readonly embedded: string | undefined;
  buckets(alias: string): Promise<BucketService>;
  bucket(alias: string, bucket: string): Promise<BucketStorage>;
  /** Where an alias leads: `env (https://s3.example.com)`. */
  place(alias: string): string;
  /** The origin it leads to; for the embedded store, its directory. */
  endpoint(alias: string): string;
}

/** Services, and what has to be known about where they lead. */
export interface Connected extends Services {
  /** For a person: what is served, and on whose word. */
  readonly summary: string;
  /** Values that must not be shown. */
  readonly secrets: readonly (string | undefined)[];
}

/**
 * Connects to what flags, environment and configuration name: the aliases asked for; or the one
 * endpoint that flags and variables describe; or, with nothing configured at all, the embedded
 * store. Throws usage errors: UnknownAlias, MissingCredentials, also when something is configured
 * and the credential chain finds none, EmptySetting, BadEndpoint, or InvalidArgument for both an
 * alias and an endpoint.
 */
export async function connectServices(
  context: Context,
  names: readonly string[],
  endpoint: EndpointFlags,
): Promise<Connected> {
  const given = Object.values(endpoint).some((value) => value !== undefined);
  if (names.length > 0 && given) {
    throw invalidArgument(
      "--alias names an endpoint and its credentials; the other flags name another",
      "give either --alias or the endpoint flags",
    );
  }
  const described = names.length > 0 ? undefined : describedAlias(context.env, endpoint);
  if (described?.credentials === "chain") await requireCredentials(described, context.env);
  const wanted = names.length > 0 ? [...new Set(names)] : [LOCAL_ALIAS];
  const aliases =
    described === undefined
      ? await Promise.all(wanted.map((name) => context.alias(name)))
      : [described];

  const builtIn = aliases.find(({ origin }) => origin === "built-in");
  const connect = (name: string) => {
    if (described !== undefined) return context.connect(described);
    // Answered in this process, under the address it has for others while `pail serve` runs.
    if (name === builtIn?.name) return context.connect(reachable(builtIn));
    return context.client(name);
  };
  const clients = new Map<string, Promise<SignedClient>>();
  const client = (name: string): Promise<SignedClient> => {
    const known = clients.get(name);
    if (known !== undefined) return known;
    const made = connect(name);
    clients.set(name, made);
    // Asked for again, it is tried again.
    made.catch(() => clients.delete(name));
    return made;
  };
  return {
    aliases: aliases.map(({ name }) => name),
    embedded: builtIn?.name,
    buckets: async (name) => bucketService(await client(name)),
    bucket: async (name, bucket) => openBucket(await client(name), bucket),
    place: (name) => {
      const alias = aliases.find((one) => one.name === name);
      return alias === undefined ? name : placeOf(alias, context);
    },
    endpoint: (name) =>
      name === builtIn?.name
        ? context.directories.store
        : (aliases.find((one) => one.name === name)?.url.origin ?? name),
    summary: aliases.map((alias) => placeOf(alias, context)).join(", "),
    secrets: [
      ...aliases.flatMap(({ secretKey, sessionToken }) => [secretKey, sessionToken]),
      context.env["AWS_SECRET_ACCESS_KEY"],
      context.env["AWS_SESSION_TOKEN"],
      context.env["CLOUD_SECRET_ACCESS_KEY"],
      context.env["CLOUD_SESSION_TOKEN"],
    ],
  };
}

/** Variables that AWS sets for the programs it runs; each says that there is a role to take. */
const ROLE_VARIABLES = [
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/**
 * Variables that say where, or in whose name, to go; with any of these the embedded store is not
 * meant.
 */
const REGION_VARIABLES = ["CLOUD_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"];

/** The endpoint of flags and variables; Amazon's, where only a region or a role is given. */
function describedAlias(env: Context["env"], flags: EndpointFlags): ResolvedAlias | undefined {
  const described = aliasFromEnvironment(env, flags);
  if (described !== undefined) return described;
  const origin =
    flags.region === undefined
      ? [...ROLE_VARIABLES, ...REGION_VARIABLES].find((name) => env[name])
      : "--region";
  if (origin === undefined) return undefined;
  const region =
    flags.region ?? REGION_VARIABLES.map((name) => env[name]).find((value) => value) ?? "us-east-1";
  const endpointUrl = `https://s3.${region}.amazonaws.com`;
  const alias = aliasFromEnvironment(env, { ...flags, endpointUrl });
  return alias === undefined ? undefined : { ...alias, origin };
}

/** Throws MissingCredentials now, and not at the first call, when the chain finds none. */
async function requireCredentials(alias: ResolvedAlias, env: Context["env"]): Promise<void> {
  try {
    await credentialProvider(alias, env)();
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new AppError({
      kind: error.kind,
      code: error.code,
      message: `${alias.origin} is set, but ${error.message}`,
      hint: `${error.hint}; for the embedded store on this computer, give --alias ${LOCAL_ALIAS}`,
      cause: error,
    });
  }
}

function placeOf({ name, url, origin }: ResolvedAlias, { directories }: Context): string {
  return origin === "built-in"
    ? `${name} (the embedded store on this computer, ${directories.store}; nothing is sent anywhere)`
    : `${name} (${url.origin})`;
}
