/** Reading the head of an object for the pane. */
import { setTimeout } from "node:timers/promises";

import { readAll } from "../../../protocol/message.js";
import { type Handler, failureOf } from "../../controller/deps.js";
import { archiveOf } from "../preview/load.js";
import { readable } from "../preview/readable.js";

/** Milliseconds the cursor must rest before anything is asked for. */
const REST = 150;
/** Bytes that are looked at. */
const HEAD = 16 * 1024;

/** Reads what an object is and how it begins, once the cursor has come to rest on it. */
export const peek: Handler<"peek"> = async (deps, { page, object }, signal) => {
  const { key } = object;
  const current = deps.latest("peek");
  await setTimeout(REST);
  if (!current() || signal.aborted) return;
  try {
    const storage = await deps.context.bucket(object.alias, object.bucket);
    const info = await storage.stat(key, { signal });
    let bytes: Buffer = Buffer.alloc(0);
    if (info.size > 0) {
      const range = { start: 0, end: Math.min(info.size, HEAD) - 1 };
      const { body } = await storage.read(key, { range, ifMatch: info.etag, signal });
      bytes = await readAll(body, HEAD);
    }
    const listed = await archiveOf(storage, bytes, { ...info, key }, signal);
    const content = listed ?? readable(bytes, 0, { key, size: info.size });
    if (!current()) return;
    const text = content.type === "text" ? content : undefined;
    deps.dispatch({ type: "peeked", page, key, info, text });
  } catch (error) {
    if (signal.aborted || !current()) return;
    deps.dispatch({ type: "peek-failed", page, key, failure: failureOf(error) });
  }
};
