/** Listing, counting and making objects. */
import { contentTypeOf } from "../../core/content-type.js";
import { isAppError } from "../../core/failures/errors.js";
import type { Entry } from "../../core/storage/storage.js";
import { type Handler, failureOf } from "./deps.js";

/** Milliseconds between two batches of rows, so that a fast listing does not drown the keys. */
const BATCH = 80;

/** Lists one level; the first page is shown at once, later ones in batches. */
export const listObjects: Handler<"list-objects"> = async (
  { context, dispatch },
  { page, place },
  signal,
) => {
  const storage = await context.bucket(place.alias, place.bucket);
  let waiting: Entry[] = [];
  let shown = -Infinity;
  const flush = () => {
    if (waiting.length > 0 && !signal.aborted)
      dispatch({ type: "entries", page, entries: waiting });
    waiting = [];
    shown = performance.now();
  };
  try {
    for await (const entries of storage.list({ prefix: place.prefix, delimiter: "/", signal })) {
      waiting.push(...entries);
      if (performance.now() - shown >= BATCH) flush();
      if (signal.aborted) return;
    }
  } finally {
    // What came before a failure is shown too.
    flush();
  }
  if (!signal.aborted) dispatch({ type: "listed", page });
};

/** Adds up objects and what is below prefixes, telling the sum as it grows. */
export const count: Handler<"count"> = async ({ context, dispatch }, effect, signal) => {
  const { dialog, from, targets, versions } = effect;
  let objects = 0;
  let bytes = 0;
  const tell = (done: boolean) => {
    if (!signal.aborted) dispatch({ type: "counted", dialog, objects, bytes, done });
  };
  try {
    const storage = await context.bucket(from.alias, from.bucket);
    for (const target of targets) {
      if (target.type === "object") {
        objects += 1;
        bytes += target.size ?? 0;
        continue;
      }
      for await (const page of storage.list({ prefix: target.key, versions, signal })) {
        for (const entry of page) {
          if (entry.type !== "object") continue;
          objects += 1;
          bytes += entry.size;
        }
        tell(false);
      }
    }
    tell(true);
  } catch (error) {
    if (signal.aborted) return;
    const failure = failureOf(error);
    dispatch({ type: "counted", dialog, objects, bytes, done: false, failure });
  }
};

/** Makes an object; one that exists is not replaced. */
export const putObject: Handler<"put-object"> = async ({ context, dispatch }, effect, signal) => {
  const { dialog, place, key, text } = effect;
  const storage = await context.bucket(place.alias, place.bucket);
  const contentType = key.endsWith("/") ? "application/x-directory" : contentTypeOf(key);
  try {
    await storage.write(key, Buffer.from(text, "utf8"), { ifNoneMatch: "*", contentType, signal });
  } catch (error) {
    if (!isAppError(error) || error.code !== "PreconditionFailed") throw error;
    const failure = {
      kind: "conflict",
      code: "PreconditionFailed",
      message: "it is there already",
    } as const;
    dispatch({ type: "dialog-failed", dialog, failure });
    return;
  }
  dispatch({ type: "object-put", dialog, place, key });
};
