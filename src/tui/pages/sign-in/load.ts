/** Reading, trying and keeping aliases. */
import { complete } from "../../../core/config/resolve.js";
import { isAppError } from "../../../core/failures/errors.js";
import { bucketService } from "../../../core/storage/buckets.js";
import type { Handler } from "../../controller/deps.js";

export const loadAliases: Handler<"load-aliases"> = async ({ context, dispatch }, { page }) => {
  const aliases = (await context.aliases()).map(({ name, url, region, origin }) => ({
    name,
    // An address may hold a password; only the endpoint is shown.
    url: origin === "built-in" ? "embedded store" : url.origin + url.pathname.replace(/\/$/, ""),
    region,
    origin,
  }));
  dispatch({ type: "aliases", page, aliases });
};

/** Says whether the endpoint answers and the credentials are taken. */
export const testAlias: Handler<"test-alias"> = async (
  { context, dispatch },
  { dialog, alias },
  signal,
) => {
  const resolved = complete(alias.name, alias.config, "form", context.env);
  const client = await context.connect(resolved);
  try {
    const buckets = await bucketService(client).list({ signal });
    const text = `it works: ${buckets.length} ${buckets.length === 1 ? "bucket" : "buckets"}`;
    dispatch({ type: "dialog-notice", dialog, text });
  } catch (error) {
    // Credentials that may not list buckets can still open one by its name.
    if (!isAppError(error) || error.code !== "AccessDenied") throw error;
    const text = "the keys are taken; listing buckets is denied, open one by its name";
    dispatch({ type: "dialog-notice", dialog, text });
  } finally {
    client.close();
  }
};

export const saveAlias: Handler<"save-alias"> = async ({ context, dispatch }, effect) => {
  const { dialog, alias } = effect;
  await context.saveAlias(alias.name, alias.config);
  dispatch({ type: "alias-saved", dialog, name: alias.name });
};

export const removeAlias: Handler<"remove-alias"> = async (
  { context, dispatch },
  { dialog, name },
) => {
  await context.removeAlias(name);
  dispatch({ type: "alias-removed", dialog, name });
};
