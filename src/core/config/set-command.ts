import type { ResolvedAlias } from "./types.js";

/**
 * The command that sets an alias anew, where it is set: its variable wins over the file. Holds no
 * secret.
 */
export function setCommand({ name, url, origin }: Pick<ResolvedAlias, "name" | "url" | "origin">) {
  const path = url.pathname.replace(/\/$/, "");
  if (/^(?:PAIL|MC)_HOST_/.test(origin)) {
    return `export ${origin}=${url.protocol}//ACCESS_KEY:SECRET_KEY@${url.host}${path}`;
  }
  // Flags and variables of the MCP server: no alias of theirs can be set.
  if (/^(?:--|CLOUD_|AWS_)/.test(origin))
    return `start the server with other credentials (${origin})`;
  return `pail alias set ${name} ${url.origin}${path}`;
}
