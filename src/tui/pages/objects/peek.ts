/** Reading the head of an object for the pane. */
import { setTimeout } from "node:timers/promises";

import { readAll } from "../../../protocol/message.js";
import { type Handler, failureOf } from "../../controller/deps.js";
import { pictureKind } from "../../picture/kind.js";
import { archiveOf, pictureOf } from "../preview/load.js";
import { READY } from "../../state/stack.js";
import { readable } from "../preview/readable.js";
import type { Peek } from "./state.js";

/** Milliseconds the cursor must rest before anything is asked for. */
const REST = 150;
/** Bytes that are looked at. */
const HEAD = 16 * 1024;

/** Larger pictures are not shown beside a list. */
const PICTURE = 4 * 1024 * 1024;

/** Reads what an object is and how it begins, once the cursor has come to rest on it. */
export const peek: Handler<"peek"> = async (deps, { page, object, row, room }, left) => {
  const { key, versionId } = object;
  // Nothing more is read and no picture decoded for a row that the cursor has left.
  const signal = AbortSignal.any([left, deps.latest("peek")]);
  const show = (found: Omit<Peek, "key" | "versionId" | "row">) => {
    if (signal.aborted) return;
    deps.dispatch({ type: "peeked", page, peek: { key, versionId, row, ...found } });
  };
  await setTimeout(REST);
  if (signal.aborted) return;
  try {
    const storage = await deps.context.bucket(object.alias, object.bucket);
    const info = await storage.stat(key, { versionId, signal });
    const read = async (length: number) => {
      if (info.size === 0) return Buffer.alloc(0);
      const range = { start: 0, end: Math.min(info.size, length) - 1 };
      const { body } = await storage.read(key, { versionId, range, ifMatch: info.etag, signal });
      return await readAll(body, length);
    };
    const bytes = await read(HEAD);
    if (pictureKind(bytes) !== undefined && info.size <= PICTURE) {
      const whole = info.size > bytes.length ? await read(PICTURE) : bytes;
      const image = await pictureOf(whole, room, signal);
      if (image !== undefined) return show({ load: READY, info, image });
    }
    const listed = await archiveOf(storage, bytes, { ...info, key }, signal);
    const content = listed ?? readable(bytes, 0, { key, size: info.size });
    show({ load: READY, info, text: content.type === "text" ? content : undefined });
  } catch (error) {
    show({ load: { type: "failed", failure: failureOf(error) } });
  }
};
