/** Objects to files and streams. */
import { closeSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

import { AppError } from "../failures/errors.js";
import { sourceChanged } from "../local/source.js";
import { nameOf } from "../ref.js";
import { UNKNOWN_SIZE } from "../storage/object-headers.js";
import type { ObjectInfo, OpenObject } from "../storage/storage.js";
import { applyAttributes } from "../local/attributes.js";
import { downloadInParts } from "./download-parts.js";
import { localError } from "../failures/local.js";
import {
  commit,
  discard,
  lookLocally,
  modeFor,
  resolveTarget,
  temporaryName,
  writeAll,
  writeAllSync,
  writeSmallFile,
} from "../local/target.js";
import { abandon, asListed, readRange, statObject } from "./remote.js";
import { inTries } from "../http/tries.js";
import { SINGLE_PUT_LIMIT, SMALL_OBJECT } from "./sizes.js";
import type { DownloadResult, DownloadTask } from "./tasks.js";
import {
  digestOf,
  downloaded,
  type Expected,
  expectedOf,
  requireMatch,
  startDigest,
} from "./verify.js";
import { requireStoredMatch, startStoredVerification } from "./verify-file.js";

/**
 * Downloads one object; the file appears under its name whole and verified, or not at all. Bytes
 * that are not the ones stored are fetched again, within the tries that a request has.
 */
export function downloadFile(
  task: DownloadTask,
  named: string,
): DownloadResult | Promise<DownloadResult> {
  if (task.noClobber && lookLocally(named) !== undefined) return "exists";
  const { object, run, item } = task;
  // A small one is looked at when it is written, once.
  const once = (item.size ?? 0) > SMALL_OBJECT ? downloadLarge : downloadOpened;
  return inTries(
    () => object.storage.client.tries({ method: "GET", ...run.watch(item) }),
    () => once(task, named),
  );
}

async function downloadLarge(task: DownloadTask, named: string): Promise<DownloadResult> {
  const { run, item, object, opened } = task;
  const target = placeOf(task, named);
  if (item.size! <= singleLimit(task)) return downloadOpened(task, named, target);
  const told = opened?.info ?? (await statObject(run, object));
  const info = await asListed(run, item, object, told);
  requirePinned(task, info);
  return downloadInParts(task, target, info);
}

async function downloadOpened(
  task: DownloadTask,
  named: string,
  target?: string,
): Promise<DownloadResult> {
  const whole = await openWhole(task);
  const { info } = whole;
  if (info.size <= SMALL_OBJECT) return downloadSmall(task, named, whole);
  const place = target ?? placeOf(task, named);
  // Nobody knows the size: it comes as it comes.
  if (info.size <= singleLimit(task) || info.size === UNKNOWN_SIZE) {
    return downloadStreamed(task, place, whole);
  }
  await abandon(whole);
  return downloadInParts(task, place, info);
}

function requirePinned({ pinned, object: { ref } }: DownloadTask, { etag }: ObjectInfo): void {
  if (pinned === true && etag !== ref.etag) throw sourceChanged(nameOf(ref));
}

function singleLimit({ partSize = SINGLE_PUT_LIMIT }: DownloadTask): number {
  return partSize;
}

/** Opens the object, or takes what was opened, and makes sure that it is what was listed. */
async function openWhole(task: DownloadTask): Promise<OpenObject> {
  const { object, run, item, opened } = task;
  const { key, versionId } = object.ref;
  const { signal, onRetry } = run.watch(item);
  const whole = opened?.take() ?? (await object.storage.read(key, { versionId, signal, onRetry }));
  try {
    const listed = asListed(run, item, object, whole.info);
    const info = listed instanceof Promise ? await listed : listed;
    requirePinned(task, info);
    return info === whole.info ? whole : { ...whole, info };
  } catch (error) {
    await abandon(whole);
    throw error;
  }
}

/** Reads all of an object that was opened; `take` is given its pieces in order. */
function readWhole(
  { run, item, object }: DownloadTask,
  opened: OpenObject,
  take: Parameters<typeof readRange>[5],
): Promise<void> {
  const { info } = opened;
  return readRange(run, item, object, info, { start: 0, end: info.size }, take, opened);
}

/** Writes a small object; at once when its bytes are here and can be verified by themselves. */
function downloadSmall(
  task: DownloadTask,
  target: string,
  opened: OpenObject,
): DownloadResult | Promise<DownloadResult> {
  const { info, bytes } = opened;
  const expected = task.verify ? expectedOf(info) : undefined;
  if (expected?.composite === true) return downloadStreamed(task, placeOf(task, target), opened);
  if (bytes === undefined || task.limiter !== undefined) {
    return downloadPieces(task, placeOf(task, target), opened, expected);
  }
  if (expected !== undefined) {
    requireMatch(expected, digestOf(expected, bytes), nameOf(task.object.ref));
  }
  const { noClobber, root, preserve, replaces } = task;
  const finish = (descriptor: number) => applyAttributes(descriptor, info, preserve);
  return writeSmallFile(target, bytes, { exclusive: noClobber, root, replaces, finish })
    ? downloaded(task, info, expected)
    : "exists";
}

function placeOf({ root }: DownloadTask, named: string): string {
  return resolveTarget(named, root).path;
}

/** Writes a small object as it comes: of so few bytes each piece is written at once. */
async function downloadPieces(
  task: DownloadTask,
  target: string,
  opened: OpenObject,
  expected: Expected | undefined,
): Promise<DownloadResult> {
  const { run, object, limiter } = task;
  const { info } = opened;
  const digest = expected && startDigest(expected);
  const temporary = temporaryName(target);
  try {
    const file = openSync(temporary, "wx", modeFor(target));
    try {
      await readWhole(task, opened, (chunk, position) => {
        digest?.update(chunk);
        writeAllSync(file, chunk, position);
        return limiter?.take(chunk.length, run.signal);
      });
      if (expected !== undefined) requireMatch(expected, digest!.digest(), nameOf(object.ref));
      applyAttributes(file, info, task.preserve);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    discard(temporary);
    throw localError(error, "write", target);
  }
  return commit(temporary, target, task.noClobber, task.root, task.replaces)
    ? downloaded(task, info, expected)
    : "exists";
}

async function downloadStreamed(
  task: DownloadTask,
  target: string,
  opened: OpenObject,
): Promise<DownloadResult> {
  const { run, item, object, limiter, verify } = task;
  const { info } = opened;
  const expected = verify ? expectedOf(info) : undefined;
  const digest = expected === undefined || expected.composite ? undefined : startDigest(expected);
  const temporary = temporaryName(target);
  let received = 0;
  try {
    const file = await open(temporary, "wx+", modeFor(target));
    try {
      await readWhole(task, opened, async (chunk, position) => {
        digest?.update(chunk);
        await writeAll(file, chunk, position);
        received += chunk.length;
        run.emit({ type: "bytes", id: item.id, count: chunk.length });
        await limiter?.take(chunk.length, run.signal);
      });
      if (expected !== undefined && digest !== undefined) {
        requireMatch(expected, digest.digest(), nameOf(object.ref));
      } else if (expected !== undefined) {
        await requireStoredMatch(task, { ...info, size: received }, expected, file);
      }
      applyAttributes(file.fd, info, task.preserve);
    } finally {
      await file.close();
    }
  } catch (error) {
    discard(temporary);
    run.emit({ type: "bytes", id: item.id, count: -received });
    throw localError(error, "write", target);
  }
  return commit(temporary, target, task.noClobber, task.root, task.replaces)
    ? downloaded(task, info)
    : "exists";
}

/** Writes one object to a stream, such as stdout, in order. */
export async function downloadStream(
  task: DownloadTask,
  stream: NodeJS.WritableStream,
): Promise<DownloadResult> {
  const { run, item, object, limiter, verify } = task;
  const opened = await openWhole(task);
  const { info } = opened;
  const verification = verify ? await startStoredVerification(task, info) : undefined;
  const write = writer(stream, run.signal);
  try {
    await readWhole(task, opened, async (chunk) => {
      verification?.update(chunk);
      await write.chunk(chunk);
      run.emit({ type: "bytes", id: item.id, count: chunk.length });
      await limiter?.take(chunk.length, run.signal);
    });
  } finally {
    write.end();
  }
  verification?.check(nameOf(object.ref));
  return downloaded(task, info);
}

/** Writes chunks one by one, each until it has left; a stream that fails or closes ends it. */
function writer(stream: NodeJS.WritableStream, signal: AbortSignal) {
  let failure: Error | undefined;
  let wake: (error: Error) => void = () => undefined;
  const fail = (error: Error) => {
    failure ??= error;
    wake(failure);
  };
  const closed = () =>
    fail(new AppError({ kind: "unavailable", code: "EPIPE", message: "the output was closed" }));
  const aborted = () => fail(signal.reason as Error);
  stream.on("error", fail);
  stream.on("close", closed);
  signal.addEventListener("abort", aborted, { once: true });
  return {
    chunk: (chunk: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        wake = reject;
        stream.write(chunk, (error) => (error ? reject(error) : resolve()));
      }),
    end: () => {
      stream.off("error", fail);
      stream.off("close", closed);
      signal.removeEventListener("abort", aborted);
    },
  };
}
