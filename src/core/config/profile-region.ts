/** The region of an alias that takes its credentials, and so its settings, from an AWS profile. */
import { endpointInRegion, regionOfHost } from "../http/address.js";
import type { ResolvedAlias, Environment } from "./types.js";

/**
 * The alias with the region that nothing nearer gave: the one its endpoint's name says, else the
 * profile's, from `~/.aws/config` or the file AWS_CONFIG_FILE names
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-region.html). Amazon's global endpoint
 * becomes that region's. Any other alias is returned as it is, and nothing is read for it.
 */
export async function withProfileRegion(
  alias: ResolvedAlias,
  env: Environment,
): Promise<ResolvedAlias> {
  if (alias.regionUnknown !== true) return alias;
  const region = regionOfHost(alias.url.hostname) ?? (await profileRegion(alias.profile, env));
  if (region === undefined) return alias;
  return { ...alias, region, regionUnknown: undefined, url: endpointInRegion(alias.url, region) };
}

async function profileRegion(
  named: string | undefined,
  env: Environment,
): Promise<string | undefined> {
  const { loadSharedConfigFiles } = await import("@smithy/core/config");
  const files = await loadSharedConfigFiles({
    configFilepath: env["AWS_CONFIG_FILE"] || undefined,
    filepath: env["AWS_SHARED_CREDENTIALS_FILE"] || undefined,
    ignoreCache: true,
  });
  const profile = named ?? (env["AWS_PROFILE"] || "default");
  // The SDK, too, lets the credentials file win.
  return files.credentialsFile[profile]?.["region"] || files.configFile[profile]?.["region"];
}
