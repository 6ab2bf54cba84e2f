/** Where the credentials of an alias come from. */
import { AppError } from "../failures/errors.js";
import type { Credentials } from "../http/client.js";
import type { CredentialSource } from "../http/attempt.js";
import type { ResolvedAlias, Environment } from "./types.js";

/** Temporary credentials are renewed this long before they end, in milliseconds. */
const RENEW_BEFORE = 5 * 60_000;

/**
 * The source of an alias's credentials: undefined for an anonymous alias; the alias's own keys;
 * or, for `chain`, the AWS_* variables and else the AWS SDK's standard sources (profile, SSO, web
 * identity, container, instance), kept until shortly before they end. Throws an AppError (usage,
 * MissingCredentials) when there are none.
 */
export function credentialProvider(alias: ResolvedAlias, env: Environment): CredentialSource {
  if (alias.credentials === "anonymous") return async () => undefined;
  if (alias.credentials === "chain") return chain(alias, env);
  const { accessKey, secretKey, sessionToken } = alias;
  if (accessKey === undefined || secretKey === undefined) {
    return async () => {
      throw missing(alias, "no key pair");
    };
  }
  const own: Credentials = { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken };
  return async () => own;
}

function chain(alias: ResolvedAlias, env: Environment): CredentialSource {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  // An alias that names a profile means it, whatever the environment has besides.
  if (alias.profile === undefined && AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY) {
    const own: Credentials = {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN || undefined,
    };
    return async () => own;
  }
  let current: Promise<Credentials> | undefined;
  let end = Infinity;
  return (options) => {
    if (current === undefined || options?.refresh === true || Date.now() > end - RENEW_BEFORE) {
      end = Infinity;
      const fetched = fromChain(alias);
      current = fetched;
      fetched.then(
        ({ expiration }) => {
          if (current === fetched) end = expiration?.getTime() ?? Infinity;
        },
        () => {
          if (current === fetched) current = undefined;
        },
      );
    }
    return current;
  };
}

async function fromChain(alias: ResolvedAlias): Promise<Credentials> {
  const { fromNodeProviderChain } = await import("@aws-sdk/credential-providers");
  try {
    // A new chain each time: the SDK's own keeps what it found.
    return await fromNodeProviderChain(
      alias.profile === undefined ? {} : { profile: alias.profile },
    )();
  } catch (error) {
    throw missing(alias, error instanceof Error ? error.message : String(error), error);
  }
}

function missing({ name, url, profile }: ResolvedAlias, reason: string, cause?: unknown): AppError {
  return new AppError({
    kind: "usage",
    code: "MissingCredentials",
    message: `no credentials for the alias ${name}: ${reason}`,
    hint:
      profile === undefined
        ? `export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…, or pail alias set ${name} ${url.origin}`
        : `aws configure --profile ${profile}`,
    cause,
  });
}
