/** Reading the head of an object for the pane. */
import { setTimeout } from "node:timers/promises";
import { constants, gunzipSync } from "node:zlib";

import { readAll } from "../../../protocol/message.js";
import { type Handler, failureOf } from "../../controller/deps.js";
import { windowOf } from "../preview/window.js";

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
    if (!current()) return;
    deps.dispatch({ type: "peeked", page, key, info, lines: headLines(bytes, info.size) });
  } catch (error) {
    if (signal.aborted || !current()) return;
    deps.dispatch({ type: "peek-failed", page, key, failure: failureOf(error) });
  }
};

/** The first lines of a text: JSON laid out, gzip unpacked; undefined when it is not text. */
export function headLines(bytes: Buffer, size: number): readonly string[] | undefined {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const head = packed ? unpacked(bytes) : bytes;
  if (head === undefined) return undefined;
  const whole = packed ? head.length : size;
  const content = windowOf(head, 0, { size: whole });
  if (content.type !== "text") return undefined;
  return laidOut(content.lines) ?? content.lines;
}

function unpacked(bytes: Buffer): Buffer | undefined {
  try {
    // The head of a stream has no end; it is unpacked as far as possible.
    const finishFlush = constants.Z_SYNC_FLUSH;
    return gunzipSync(bytes, { finishFlush, maxOutputLength: HEAD * 64 }).subarray(0, HEAD);
  } catch {
    return undefined;
  }
}

/** JSON with a line for each member, when all of it is there. */
function laidOut(lines: readonly string[]): string[] | undefined {
  if (!/^\s*[[{]/.test(lines[0] ?? "") || lines.length > 3) return undefined;
  try {
    return JSON.stringify(JSON.parse(lines.join("\n")), undefined, 2).split("\n");
  } catch {
    return undefined;
  }
}
