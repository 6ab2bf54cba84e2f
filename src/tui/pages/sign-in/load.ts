/** Reading, trying and keeping aliases. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";

import {
  IMPORT_SOURCES,
  importAliases,
  importFile,
  type Imported,
  type ImportSource,
} from "../../../core/config/import.js";
import { complete } from "../../../core/config/resolve.js";
import type { AliasConfig } from "../../../core/config/types.js";
import { AppError, isAppError } from "../../../core/failures/errors.js";
import { bucketService } from "../../../core/storage/buckets.js";
import type { Deps, Handler } from "../../controller/deps.js";
import type { AliasRow } from "./state.js";

/** The aliases there are, then those that only other tools of this machine know. */
export const loadAliases: Handler<"load-aliases"> = async ({ context, dispatch }, { page }) => {
  await context.reload();
  const aliases = (await context.aliases()).map(({ name, url, region, origin }) => ({
    name,
    // An address may hold a password; only the endpoint is shown.
    url: origin === "built-in" ? "embedded store" : endpointOf(url),
    region,
    origin,
  }));
  const names = new Set(aliases.map(({ name }) => name));
  const offers = IMPORT_SOURCES.flatMap((from) => offersOf(context.env, from)).filter(
    ({ name }) => !names.has(name) && names.add(name),
  );
  dispatch({ type: "aliases", page, aliases: [...aliases, ...offers] });
};

function endpointOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/$/, "");
}

/** Another tool's aliases that have credentials, as rows. */
function offersOf(env: NodeJS.ProcessEnv, from: ImportSource): AliasRow[] {
  const file = importFile(from, env);
  const home = env["HOME"] || homedir();
  const origin = file.startsWith(`${home}/`) ? file.replace(home, "~") : file;
  return readOffers(env, from).map(({ name, alias: { url, region = "" } }) => {
    return { name, url: endpointOf(new URL(url)), region, origin, offer: from };
  });
}

function readOffers(env: NodeJS.ProcessEnv, from: ImportSource) {
  let found: Imported[];
  try {
    found = importAliases(from, readFileSync(importFile(from, env), "utf8"));
  } catch {
    // A file that is missing or cannot be read offers nothing; pail alias import says why.
    return [];
  }
  return found.flatMap((entry) => {
    return "reason" in entry || entry.alias.credentials === "anonymous" ? [] : [entry];
  });
}

/** Tries an alias of another tool, as its file has it now, and saves it as pail's own. */
export const takeAlias: Handler<"take-alias"> = async (deps, { dialog, name, from }, signal) => {
  const entry = readOffers(deps.context.env, from).find((offer) => offer.name === name);
  if (entry === undefined) {
    const file = importFile(from, deps.context.env);
    const message = `${name} is not in ${file} any more`;
    throw new AppError({ kind: "not-found", code: "NoSuchAlias", message });
  }
  const alias = { name, config: entry.alias };
  await saveAlias(deps, { type: "save-alias", dialog, alias, anyway: false }, signal);
};

/** Hands the form the settings of an alias in the file; never its secrets. */
export const editAlias: Handler<"edit-alias"> = async ({ context, dispatch }, { name }) => {
  await context.reload();
  const config = (await context.config()).aliases[name];
  if (config === undefined) return;
  const { secretKey: _secret, sessionToken: _token, ...shown } = config;
  dispatch({ type: "alias-opened", name, config: shown });
};

/**
 * Tries an alias and saves it when it works, or when `anyway`. An address without http:// or
 * https:// is tried with both. A new alias never takes the place of one that is there.
 */
export const saveAlias: Handler<"save-alias"> = async (deps, effect, signal) => {
  const { dialog, alias, replaces, anyway } = effect;
  const { context, dispatch } = deps;
  const { name } = alias;
  await context.reload();
  const { aliases } = await context.config();
  if (replaces !== name) requireFree(name, aliases);
  const old = replaces === undefined ? undefined : aliases[replaces];
  const config = withSecrets(alias.config, old);
  const url = anyway ? addresses(config.url)[0]! : await working(deps, name, config, signal);
  if (signal.aborted) return;
  await context.updateConfig((file) => {
    if (replaces !== name) requireFree(name, file.aliases);
    const { [replaces ?? name]: _old, ...rest } = file.aliases;
    return { ...file, aliases: { ...rest, [name]: { ...config, url } } };
  });
  await context.reload();
  dispatch({ type: "alias-saved", dialog, name });
};

function requireFree(name: string, aliases: Readonly<Record<string, AliasConfig>>): void {
  if (!Object.hasOwn(aliases, name)) return;
  const message = `there is an alias ${name} already; e on the list edits it`;
  throw new AppError({ kind: "conflict", code: "AliasExists", message });
}

/** Values that the form does not show stay: fields it does not have, and secrets left empty. */
function withSecrets(config: AliasConfig, old: AliasConfig | undefined): AliasConfig {
  if (old === undefined) return config;
  const { secretKey = old.secretKey, sessionToken, ...rest } = config;
  const same = old.accessKey === config.accessKey;
  const { secretKey: _secret, sessionToken: token, ...kept } = old;
  return config.credentials === "static"
    ? { ...kept, ...rest, secretKey, sessionToken: sessionToken ?? (same ? token : undefined) }
    : { ...kept, ...rest };
}

/** The addresses a text may mean, the likelier first. */
function addresses(text: string): string[] {
  if (/^https?:\/\//i.test(text)) return [text];
  const plain = /^(localhost|127\.|\[?::1|10\.|192\.168\.)/.test(text) || /:9000\b/.test(text);
  const both = [`https://${text}`, `http://${text}`];
  return plain ? both.reverse() : both;
}

/** The first address that answers and takes the keys. Throws the error of the last one. */
async function working(
  deps: Deps,
  name: string,
  config: AliasConfig,
  signal: AbortSignal,
): Promise<string> {
  const urls = addresses(config.url);
  for (const [index, url] of urls.entries()) {
    try {
      await tryOut(deps, name, { ...config, url }, signal);
      return url;
    } catch (error) {
      // An answer, whatever it is, shows that the address is right.
      const unreachable = isAppError(error) && error.kind === "unavailable";
      if (!unreachable || index === urls.length - 1 || signal.aborted) throw error;
    }
  }
  throw new AppError({ kind: "usage", code: "InvalidArgument", message: "there is no address" });
}

async function tryOut(
  { context }: Deps,
  name: string,
  config: AliasConfig,
  signal: AbortSignal,
): Promise<void> {
  const client = await context.connect(complete(name, config, "form", context.env));
  try {
    await bucketService(client).list({ signal });
  } catch (error) {
    // Credentials that may not list buckets can still open one by its name.
    if (!isAppError(error) || error.code !== "AccessDenied") throw error;
  } finally {
    client.close();
  }
}

export const removeAlias: Handler<"remove-alias"> = async (
  { context, dispatch },
  { dialog, name },
) => {
  await context.removeAlias(name);
  dispatch({ type: "alias-removed", dialog, name });
};
