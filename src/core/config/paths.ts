/** The places where pail keeps things on each platform. */
import { homedir } from "node:os";
import { join } from "node:path";

import { PLATFORM } from "../../system/process.js";

export interface Directories {
  /** Aliases and settings; PAIL_CONFIG_DIR overrides. */
  readonly config: string;
  readonly configFile: string;
  /** The embedded store's data; PAIL_STORE_DIR overrides. */
  readonly store: string;
  /** Resume records and what the console remembers; PAIL_STATE_DIR overrides. */
  readonly state: string;
}

/**
 * The directories for an environment. Linux follows the XDG base directory specification, macOS
 * uses Application Support, Windows AppData.
 */
export function directories(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = PLATFORM,
  home: string = env["HOME"] || homedir(),
): Directories {
  const bases = platformBases(env, platform, home);
  const config = env["PAIL_CONFIG_DIR"] || join(bases.config, "pail");
  return {
    config,
    configFile: join(config, "config.json"),
    store: env["PAIL_STORE_DIR"] || join(bases.data, "pail", "store"),
    state: env["PAIL_STATE_DIR"] || join(bases.state, "pail", "state"),
  };
}

function platformBases(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, home: string) {
  if (platform === "darwin") {
    const support = join(home, "Library", "Application Support");
    return { config: support, data: support, state: support };
  }
  if (platform === "win32") {
    const roaming = env["APPDATA"] || join(home, "AppData", "Roaming");
    const local = env["LOCALAPPDATA"] || join(home, "AppData", "Local");
    return { config: roaming, data: local, state: local };
  }
  return {
    config: env["XDG_CONFIG_HOME"] || join(home, ".config"),
    data: env["XDG_DATA_HOME"] || join(home, ".local", "share"),
    state: env["XDG_STATE_HOME"] || join(home, ".local", "state"),
  };
}
