/** Reading the part of an object that is looked at. */
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import type { PictureRoom } from "../../picture/decode.js";
import { pictureKind } from "../../picture/kind.js";
import type { PictureJob } from "../../picture/worker.js";
import type { Picture } from "../../picture/scale.js";
import { readAll } from "../../../protocol/message.js";
import type { Handler } from "../../controller/deps.js";
import { isAppError } from "../../../core/failures/errors.js";
import { zipDirectory } from "../../../core/operations/zip.js";
import type { BucketStorage } from "../../../core/storage/s3-types.js";
import type { ObjectInfo } from "../../../core/storage/storage.js";
import { archiveText, readable } from "./readable.js";
import { type PreviewContent, type TextContent, WINDOW } from "./state.js";

/** Larger pictures are shown as bytes. */
const PICTURE_LIMIT = 32 * 1024 * 1024;

/** Text, a dump, or (from the beginning of an image) a picture. */
export const preview: Handler<"preview"> = async ({ context, dispatch }, effect, signal) => {
  const { page, object, offset } = effect;
  const { key, versionId } = object;
  const storage = await context.bucket(object.alias, object.bucket);
  const info = await storage.stat(key, { versionId, signal });
  const read = async (start: number, length: number) => {
    if (start >= info.size) return Buffer.alloc(0);
    const end = Math.min(info.size, start + length) - 1;
    const range = { start, end };
    const { body } = await storage.read(key, { versionId, range, ifMatch: info.etag, signal });
    return await readAll(body, length);
  };
  const bytes = await read(offset, WINDOW);
  const shown =
    offset === 0 && pictureKind(bytes) !== undefined && info.size <= PICTURE_LIMIT
      ? await pictureOf(await read(0, info.size), effect.room, signal)
      : undefined;
  const content: PreviewContent =
    shown === undefined
      ? ((await archiveOf(storage, bytes, { ...info, key }, signal)) ??
        readable(bytes, offset, { key, size: info.size }))
      : { type: "image", image: shown };
  if (!signal.aborted)
    dispatch({ type: "previewed", page, size: info.size, etag: info.etag, offset, content });
};

/** The names in a zip archive, by its first bytes; undefined for what is none, or is damaged. */
export async function archiveOf(
  storage: BucketStorage,
  bytes: Buffer,
  info: ObjectInfo,
  signal: AbortSignal,
): Promise<TextContent | undefined> {
  if (!/^PK(?:\u0003\u0004|\u0005\u0006)/.test(bytes.toString("latin1", 0, 4))) return undefined;
  try {
    return archiveText(await zipDirectory(storage, info, signal), info.size);
  } catch (error) {
    if (isAppError(error) && error.code === "BadArchive") return undefined;
    throw error;
  }
}

/** Milliseconds between two looks at an object that is followed. */
const LOOK = 1000;

/** Looks at an object until it has changed. */
export const watch: Handler<"watch"> = async ({ context, dispatch }, effect, signal) => {
  const { page, object, etag } = effect;
  const storage = await context.bucket(object.alias, object.bucket);
  for (;;) {
    await delay(LOOK, undefined, { signal });
    const now = await storage.stat(object.key, { signal });
    if (now.etag === etag) continue;
    dispatch({ type: "grown", page, size: now.size });
    return;
  }
};

/** Decodes a picture in a thread; undefined when it cannot be. */
export async function pictureOf(
  bytes: Buffer,
  room: PictureRoom,
  signal: AbortSignal,
): Promise<Picture | undefined> {
  const job: PictureJob = { bytes, room };
  // The build puts the worker beside the console.
  const worker = new Worker(new URL("./picture-worker.mjs", import.meta.url), { workerData: job });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => resolve(undefined));
    });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
