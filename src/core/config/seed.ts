/** The configuration without aliases: one endpoint, from flags and the environment, for the MCP server. */
import { type AppError, usageError } from "../failures/errors.js";
import { complete, DEFAULT_REGION } from "./resolve.js";
import { isEndpoint } from "./shape.js";
import type { ResolvedAlias, Environment } from "./types.js";

export interface EndpointFlags {
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly region?: string | undefined;
  readonly endpointUrl?: string | undefined;
}

interface Found {
  readonly value: string;
  /** Flag or variable it came from. */
  readonly from: string;
}

/** The name of the alias that is made from the environment. */
export const ENVIRONMENT_ALIAS = "env";

/**
 * The endpoint that flags and environment describe: flags, then `CLOUD_ACCESS_KEY_ID`,
 * `CLOUD_SECRET_ACCESS_KEY`, `CLOUD_REGION`, `CLOUD_ENDPOINT_URL`, then the same with `AWS_`. Both
 * halves of the key pair come from the same one of these. Without an endpoint it is Amazon's for
 * the region; with an endpoint or a profile, but no keys, credentials are the AWS SDK's standard
 * chain. Undefined when nothing is configured. Throws an AppError (usage): half a key pair, an
 * endpoint that is not a URL, or anything present and empty: a blank that was meant to be filled in
 * must not lead to another store.
 */
export function aliasFromEnvironment(
  env: Environment,
  flags: EndpointFlags = {},
): ResolvedAlias | undefined {
  const found = (value: string | undefined, from: string): Found | undefined => {
    if (value === undefined) return undefined;
    if (value.trim() === "") throw blank(from);
    return { value, from };
  };
  const variable = (name: string): Found | undefined => found(env[name], name);

  const pairs = [
    [
      found(flags.accessKeyId, "--access-key-id"),
      found(flags.secretAccessKey, "--secret-access-key"),
    ],
    [variable("CLOUD_ACCESS_KEY_ID"), variable("CLOUD_SECRET_ACCESS_KEY")],
    [variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY")],
  ] as const;
  const names = [
    ["--access-key-id", "--secret-access-key"],
    ["CLOUD_ACCESS_KEY_ID", "CLOUD_SECRET_ACCESS_KEY"],
    ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  ] as const;
  const chosen = pairs.findIndex(([id, secret]) => id !== undefined || secret !== undefined);
  const [id, secret] = pairs[chosen] ?? [];
  if (chosen >= 0 && (id === undefined || secret === undefined)) {
    const [idName, secretName] = names[chosen]!;
    throw halfPair(id === undefined ? secretName : idName, id === undefined ? idName : secretName);
  }

  const region =
    found(flags.region, "--region") ??
    variable("CLOUD_REGION") ??
    variable("AWS_REGION") ??
    variable("AWS_DEFAULT_REGION");
  const endpoint =
    found(flags.endpointUrl, "--endpoint-url") ??
    variable("CLOUD_ENDPOINT_URL") ??
    variable("AWS_ENDPOINT_URL_S3") ??
    variable("AWS_ENDPOINT_URL");
  const profile = variable("AWS_PROFILE");
  const origin = id ?? endpoint ?? profile;
  if (origin === undefined) return undefined;
  if (endpoint !== undefined && !isEndpoint(endpoint.value)) throw badEndpoint(endpoint);

  // Without a region, a profile may have one: its endpoint then takes the place of the global one.
  const host =
    id === undefined && region === undefined ? "s3" : `s3.${region?.value ?? DEFAULT_REGION}`;
  const url = endpoint?.value ?? `https://${host}.amazonaws.com`;
  const token =
    chosen === 2 ? env["AWS_SESSION_TOKEN"] : chosen === 1 ? env["CLOUD_SESSION_TOKEN"] : "";
  return complete(
    ENVIRONMENT_ALIAS,
    {
      url,
      region: region?.value,
      ...(id === undefined
        ? { credentials: "chain", profile: profile?.value }
        : { accessKey: id.value, secretKey: secret!.value, sessionToken: token }),
    },
    origin.from,
    {},
  );
}

function halfPair(given: string, missing: string): AppError {
  return usageError(
    "MissingCredentials",
    `${given} is set but ${missing} is not`,
    missing.startsWith("--") ? `give ${missing} too` : `export ${missing}=…`,
  );
}

function blank(name: string): AppError {
  return usageError(
    "EmptySetting",
    `${name} is empty`,
    name.startsWith("--")
      ? `give ${name} a value, or leave it out`
      : `unset ${name}, or give it a value`,
  );
}

function badEndpoint({ from }: Found): AppError {
  return usageError(
    "BadEndpoint",
    `${from} is not an http or https URL`,
    from.startsWith("--") ? `${from} https://HOST` : `export ${from}=https://HOST`,
  );
}
