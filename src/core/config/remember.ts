/** The findings about an endpoint, kept with its alias for the next run. */
import { isAppError } from "../failures/errors.js";
import { FILE_ORIGIN } from "./resolve.js";
import type { ConfigFile, Learnt, ResolvedAlias } from "./types.js";

/**
 * Saves what was learnt about an endpoint, in the alias of that name and endpoint in the config file;
 * an alias from elsewhere is not saved: undefined. A file that cannot be written costs the next
 * run a request, not this one its transfer.
 */
export function rememberWith(
  { name, url, origin }: ResolvedAlias,
  update: (edit: (config: ConfigFile) => ConfigFile) => Promise<void>,
): ((learnt: Learnt) => Promise<void>) | undefined {
  if (origin !== FILE_ORIGIN) return undefined;
  return async (learnt) => {
    try {
      await update((config) => {
        const alias = Object.hasOwn(config.aliases, name) ? config.aliases[name] : undefined;
        // Meanwhile it may have been removed, or have become the name of something else.
        if (alias === undefined || new URL(alias.url).href !== url.href) return config;
        return { ...config, aliases: { ...config.aliases, [name]: { ...alias, ...learnt } } };
      });
    } catch (error) {
      if (!isAppError(error) || error.kind === "bug") throw error;
    }
  };
}
