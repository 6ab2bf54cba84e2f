/** Reading, trying and keeping aliases. */
import { complete } from "../../../core/config/resolve.js";
import type { AliasConfig } from "../../../core/config/types.js";
import { AppError, isAppError } from "../../../core/failures/errors.js";
import { bucketService } from "../../../core/storage/buckets.js";
import type { Deps, Handler } from "../../controller/deps.js";

export const loadAliases: Handler<"load-aliases"> = async ({ context, dispatch }, { page }) => {
  await context.reload();
  const aliases = (await context.aliases()).map(({ name, url, region, origin }) => ({
    name,
    // An address may hold a password; only the endpoint is shown.
    url: origin === "built-in" ? "embedded store" : url.origin + url.pathname.replace(/\/$/, ""),
    region,
    origin,
  }));
  dispatch({ type: "aliases", page, aliases });
};

/** Hands the form what the file has of an alias; never its secrets. */
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

/** What the form does not show stays: fields it does not have, and secrets left empty. */
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

/** The first address that answers and takes the keys. Throws what the last one said. */
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
