/** One object: its information, tags, versions and links. */
import type { ObjectEntry } from "../../core/storage/storage.js";
import { openBucket } from "../../core/storage/s3.js";
import type { ObjectRef } from "../state/actions.js";
import type { Deps, Handler } from "./deps.js";
import { failureOf } from "./deps.js";

type Part = "info" | "tags" | "versions" | "url";

/** Each part of the page fails by itself: a service without versions still shows the rest. */
async function part(
  deps: Deps,
  page: number,
  name: Part,
  signal: AbortSignal,
  load: () => Promise<void>,
) {
  try {
    await load();
  } catch (error) {
    if (signal.aborted) return;
    deps.dispatch({ type: "part-failed", page, part: name, failure: failureOf(error) });
  }
}

export const loadInfo: Handler<"load-info"> = (deps, { page, object }, signal) =>
  part(deps, page, "info", signal, async () => {
    const storage = await deps.context.bucket(object.alias, object.bucket);
    const { versionId } = object;
    const info = await storage.stat(object.key, { ...(versionId && { versionId }), signal });
    deps.dispatch({ type: "info", page, info });
  });

export const loadTags: Handler<"load-tags"> = (deps, { page, object }, signal) =>
  part(deps, page, "tags", signal, async () => {
    const storage = await deps.context.bucket(object.alias, object.bucket);
    const { versionId } = object;
    const tags = await storage.getTags(object.key, versionId ? { versionId } : {});
    deps.dispatch({ type: "tags", page, tags });
  });

/** Versions of exactly this key: a listing by prefix goes on to longer keys, which are left out. */
export const loadVersions: Handler<"load-versions"> = (deps, { page, object }, signal) =>
  part(deps, page, "versions", signal, async () => {
    const storage = await deps.context.bucket(object.alias, object.bucket);
    const versions: ObjectEntry[] = [];
    listing: for await (const entries of storage.list({
      prefix: object.key,
      versions: true,
      signal,
    })) {
      for (const entry of entries) {
        if (entry.type !== "object") continue;
        if (entry.key !== object.key) break listing;
        versions.push(entry);
      }
    }
    deps.dispatch({ type: "versions", page, versions });
  });

export const presign: Handler<"presign"> = (deps, { page, object, expiry }, signal) =>
  part(deps, page, "url", signal, async () => {
    deps.dispatch({ type: "url", page, ...(await shareLink(deps.context, object, expiry)) });
  });

/** Where the embedded store is served by default: the built-in alias has no address of its own. */
const SERVED = "127.0.0.1:9000";

/** A link to an object, and what it takes for the link to work. */
export async function shareLink(
  context: Deps["context"],
  { alias, bucket, key, versionId }: ObjectRef,
  expiry: number,
): Promise<{ url: string; note?: string | undefined }> {
  const resolved = await context.alias(alias);
  const builtIn = resolved.origin === "built-in";
  const client = builtIn
    ? await context.connect({ ...resolved, url: new URL(`http://${SERVED}`) })
    : await context.client(alias);
  const storage = openBucket(client, bucket);
  const url = await storage.presign("GET", key, expiry, versionId ? { versionId } : {});
  const note = builtIn ? `it works while this runs: pail serve --address ${SERVED}` : undefined;
  return { url: url.href, note };
}

export const saveTags: Handler<"save-tags"> = async ({ context, dispatch }, effect) => {
  const { dialog, object, tags } = effect;
  const storage = await context.bucket(object.alias, object.bucket);
  const { versionId } = object;
  await storage.setTags(object.key, tags, versionId ? { versionId } : {});
  dispatch({ type: "saved", dialog, what: "tags" });
};

/**
 * Metadata is fixed when an object is written, so the object is copied onto itself with the new
 * one; what is not edited here is taken along. It must not have changed in the meantime.
 */
export const saveMetadata: Handler<"save-metadata"> = async (
  { context, dispatch },
  effect,
  signal,
) => {
  const { dialog, object, contentType, metadata } = effect;
  const storage = await context.bucket(object.alias, object.bucket);
  const { key, versionId, bucket } = object;
  const info = await storage.stat(key, { ...(versionId && { versionId }), signal });
  await storage.copyFrom(
    key,
    { bucket, key, versionId, ifMatch: info.etag },
    {
      metadataDirective: "REPLACE",
      contentType: contentType || undefined,
      cacheControl: info.cacheControl,
      contentDisposition: info.contentDisposition,
      contentEncoding: info.contentEncoding,
      contentLanguage: info.contentLanguage,
      expires: info.expires,
      storageClass: info.storageClass,
      metadata,
      signal,
    },
  );
  dispatch({ type: "saved", dialog, what: "metadata" });
};
