/** Adding up what a question is about. */
import { type Handler, failureOf } from "./deps.js";

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
