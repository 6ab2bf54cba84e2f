/**
 * The alias `aws`: Amazon S3 or the endpoint that AWS_ENDPOINT_URL names, as AWS's own tools reach
 * it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

import type { AliasConfig, Origin, Environment } from "./types.js";

/** The alias that `s3://bucket/key` is on. */
export const AWS_ALIAS = "aws";

const VARIABLES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_PROFILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/**
 * The alias, where a variable or a file of the AWS tools gives credentials; undefined elsewhere, so
 * that a directory of that name stays one.
 */
export function awsAlias(env: Environment): { config: AliasConfig; origin: Origin } | undefined {
  const variable = VARIABLES.find((name) => env[name]);
  const origin = variable ?? awsFiles(env).find((file) => existsSync(file));
  if (origin === undefined) return undefined;
  const url = env["AWS_ENDPOINT_URL_S3"] || "https://s3.amazonaws.com";
  const profile = env["AWS_PROFILE"] || undefined;
  return { config: { url, credentials: "chain", profile }, origin };
}

function awsFiles(env: Environment): string[] {
  const home = env["HOME"] || env["USERPROFILE"];
  const inHome = (name: string) => (home ? [join(home, ".aws", name)] : []);
  const { AWS_SHARED_CREDENTIALS_FILE: credentials, AWS_CONFIG_FILE: config } = env;
  return [
    ...(credentials ? [credentials] : inHome("credentials")),
    ...(config ? [config] : inHome("config")),
  ];
}
