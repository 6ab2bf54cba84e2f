/** One object: its information, tags, versions and links. */
import { ownEncryption } from "../../../core/storage/object-headers.js";
import type { ObjectEntry } from "../../../core/storage/storage.js";
import { type Deps, type Handler, failureOf } from "../../controller/deps.js";
import { shareLink } from "../../controller/share.js";
import type { DetailsPart } from "./state.js";

/** Each part of the page fails by itself: a service without versions still shows the rest. */
async function part(
  deps: Deps,
  page: number,
  name: DetailsPart,
  signal: AbortSignal,
  load: () => Promise<void>,
) {
  try {
    await load();
  } catch (error) {
    if (signal.aborted) return;
    deps.dispatch({ type: "part-failed", page, name, failure: failureOf(error) });
  }
}

export const loadInfo: Handler<"load-info"> = (deps, { page, object }, signal) =>
  part(deps, page, "info", signal, async () => {
    const storage = await deps.context.bucket(object.alias, object.bucket);
    const { versionId } = object;
    const info = await storage.stat(object.key, { versionId, signal });
    deps.dispatch({ type: "part", page, part: { name: "info", value: info } });
  });

export const loadTags: Handler<"load-tags"> = (deps, { page, object }, signal) =>
  part(deps, page, "tags", signal, async () => {
    const storage = await deps.context.bucket(object.alias, object.bucket);
    const { versionId } = object;
    const tags = await storage.getTags(object.key, { versionId });
    deps.dispatch({ type: "part", page, part: { name: "tags", value: tags } });
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
    deps.dispatch({ type: "part", page, part: { name: "versions", value: versions } });
  });

export const presign: Handler<"presign"> = (deps, { page, object, expiry }, signal) =>
  part(deps, page, "url", signal, async () => {
    const value = await shareLink(deps.context, object, expiry);
    deps.dispatch({ type: "part", page, part: { name: "url", value } });
  });

export const saveTags: Handler<"save-tags"> = async ({ context, dispatch }, effect) => {
  const { dialog, object, tags } = effect;
  const storage = await context.bucket(object.alias, object.bucket);
  const { versionId } = object;
  await storage.setTags(object.key, tags, { versionId });
  dispatch({ type: "saved", dialog, what: "tags" });
};

/**
 * Metadata is fixed when an object is written, so the object is copied onto itself with the new
 * one; everything else is taken along. The object must not have changed in the meantime.
 */
export const saveMetadata: Handler<"save-metadata"> = async (
  { context, dispatch },
  effect,
  signal,
) => {
  const { dialog, object, contentType, metadata } = effect;
  const storage = await context.bucket(object.alias, object.bucket);
  const { key, versionId, bucket } = object;
  const info = await storage.stat(key, { versionId, signal });
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
      encryption: ownEncryption(info),
      metadata,
      signal,
    },
  );
  dispatch({ type: "saved", dialog, what: "metadata" });
};
