/** Reading the head of an object for the pane. */
import { setTimeout } from "node:timers/promises";

import { readAll } from "../../../protocol/message.js";
import { type Handler, failureOf } from "../../controller/deps.js";
import { pictureKind } from "../../picture/kind.js";
import { archiveOf, pictureOf } from "../preview/load.js";
import { readable } from "../preview/readable.js";

/** Milliseconds the cursor must rest before anything is asked for. */
const REST = 150;
/** Bytes that are looked at. */
const HEAD = 16 * 1024;

/** Larger pictures are not shown beside a list. */
const PICTURE = 4 * 1024 * 1024;

/** Reads what an object is and how it begins, once the cursor has come to rest on it. */
export const peek: Handler<"peek"> = async (deps, { page, object, room }, signal) => {
  const { key } = object;
  const current = deps.latest("peek");
  await setTimeout(REST);
  if (!current() || signal.aborted) return;
  try {
    const storage = await deps.context.bucket(object.alias, object.bucket);
    const info = await storage.stat(key, { signal });
    const read = async (length: number) => {
      if (info.size === 0) return Buffer.alloc(0);
      const range = { start: 0, end: Math.min(info.size, length) - 1 };
      const { body } = await storage.read(key, { range, ifMatch: info.etag, signal });
      return await readAll(body, length);
    };
    const bytes = await read(HEAD);
    if (pictureKind(bytes) !== undefined && info.size <= PICTURE && current()) {
      const whole = info.size > bytes.length ? await read(PICTURE) : bytes;
      const image = await pictureOf(whole, room, signal);
      if (image !== undefined && current())
        deps.dispatch({ type: "peeked", page, key, info, image });
      if (image !== undefined) return;
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
