/** Listing a level, arranging long lists, and making objects. */
import { setImmediate } from "node:timers/promises";

import { contentTypeOf } from "../../../core/content-type.js";
import { isAppError } from "../../../core/failures/errors.js";
import { statOrNothing } from "../../../core/operations/exists.js";
import { writeOver } from "../../../core/operations/if-exists.js";
import type { ObjectRef } from "../../../core/ref.js";
import type { Entry } from "../../../core/storage/storage.js";
import type { Handler } from "../../controller/deps.js";
import { matcher } from "../../list/match.js";
import { arranging } from "../../list/view.js";

/** Milliseconds between two batches of rows, so that a fast listing does not drown the keys. */
const BATCH = 80;

/** Lists one level; the first page is shown at once, later ones in batches. */
export const listObjects: Handler<"list-objects"> = async (
  { context, dispatch },
  { page, place, deep, versions },
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
    const { prefix } = place;
    const matches = deep === undefined ? undefined : matcher(deep);
    const delimiter = deep === undefined ? "/" : undefined;
    for await (const entries of storage.list({ prefix, delimiter, versions, signal })) {
      for (const entry of entries) {
        if (matches === undefined || matches(entry.key.slice(prefix.length))) waiting.push(entry);
      }
      if (performance.now() - shown >= BATCH) flush();
      if (signal.aborted) return;
    }
  } finally {
    // Entries that came before a failure are shown too.
    flush();
  }
  if (!signal.aborted) dispatch({ type: "listed", page });
};

/** Milliseconds a step of arranging may take before keys get their turn. */
const SLICE = 8;

/** Filters and sorts without holding up the keys; another arrangement of the page ends this one. */
export const arrange: Handler<"arrange"> = async ({ dispatch, latest }, effect, signal) => {
  const { page, store, filter, sort } = effect;
  const replaced = latest(`arrange ${page}`);
  const steps = arranging(store, filter, sort);
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      dispatch({ type: "arranged", page, view: step.value });
      return;
    }
    if (performance.now() - began < SLICE) continue;
    await setImmediate();
    if (signal.aborted || replaced.aborted) return;
    began = performance.now();
  }
};

/** Makes an object; one that exists is not replaced. */
export const putObject: Handler<"put-object"> = async ({ context, dispatch }, effect, signal) => {
  const { dialog, place, key, text } = effect;
  const storage = await context.bucket(place.alias, place.bucket);
  const contentType = key.endsWith("/") ? "application/x-directory" : contentTypeOf(key);
  const body = Buffer.from(text, "utf8");
  const target: ObjectRef = { type: "object", alias: place.alias, bucket: place.bucket, key };
  const look = () => statOrNothing(storage, key, signal);
  try {
    await writeOver("unlisted", {
      target,
      now: async () => (await look())?.etag,
      write: (condition) => storage.write(key, body, { ...condition, contentType, signal }),
    });
  } catch (error) {
    if (!isAppError(error) || error.code !== "Drifted") throw error;
    const failure = {
      kind: "conflict",
      code: "TargetExists",
      message: "it is there already",
    } as const;
    dispatch({ type: "dialog-failed", dialog, failure });
    return;
  }
  const entry = { type: "object", key, size: body.length, lastModified: Date.now() } as const;
  dispatch({ type: "object-put", dialog, place, entry });
};
