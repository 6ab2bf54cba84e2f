/** What an upload would replace. */
import { isAppError } from "../../core/failures/errors.js";
import type { BucketStorage } from "../../core/storage/s3-types.js";
import { copy } from "../../core/operations/copy.js";
import type { Handler } from "./deps.js";
import { uploadRequest } from "./jobs.js";

/** Up to this many keys are asked for one by one; more are looked for in a listing. */
const SINGLY = 64;
const AT_ONCE = 16;

/** Plans the upload without doing it, and looks which of its keys are there. */
export const checkUpload: Handler<"check-upload"> = async (
  { context, dispatch },
  { page, spec },
  signal,
) => {
  if (spec.type !== "upload") return;
  const { alias, bucket } = spec.target;
  const storage = await context.bucket(alias, bucket);
  const keys: string[] = [];
  await copy({
    ...uploadRequest(storage, spec),
    dryRun: true,
    signal,
    onEvent: (event) => {
      if (event.type !== "skipped") return;
      const { target } = event.item;
      if (target.type === "object") keys.push(target.key);
    },
  });
  const existing =
    keys.length <= SINGLY
      ? await askSingly(storage, keys, signal)
      : await lookInListing(storage, keys, spec.target.prefix, signal);
  if (!signal.aborted) dispatch({ type: "upload-checked", page, spec, existing });
};

async function askSingly(storage: BucketStorage, keys: readonly string[], signal: AbortSignal) {
  const existing: string[] = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const batch = keys.slice(at, at + AT_ONCE);
    const there = await Promise.all(batch.map((key) => exists(storage, key, signal)));
    existing.push(...batch.filter((_, index) => there[index]));
  }
  return existing;
}

async function exists(storage: BucketStorage, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    await storage.stat(key, { signal });
    return true;
  } catch (error) {
    if (isAppError(error) && error.code === "NoSuchKey") return false;
    // Who may write but not read cannot be warned.
    if (isAppError(error) && error.kind === "denied") return false;
    throw error;
  }
}

async function lookInListing(
  storage: BucketStorage,
  keys: readonly string[],
  prefix: string,
  signal: AbortSignal,
) {
  const wanted = new Set(keys);
  const existing: string[] = [];
  for await (const entries of storage.list({ prefix, signal })) {
    for (const { key } of entries) if (wanted.has(key)) existing.push(key);
  }
  return existing;
}
