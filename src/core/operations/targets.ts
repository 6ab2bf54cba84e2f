/** The work on each thing found, by where it goes. */
import { shellWord } from "../failures/shell-word.js";
import { statSync } from "node:fs";
import { dirname } from "node:path";

import { AppError, conflictError, drifted, isAppError } from "../failures/errors.js";
import { safePath } from "../local/safe-path.js";
import { headersOf } from "../storage/object-headers.js";
import type { WriteCondition, WriteResult } from "../storage/storage.js";
import { downloadFile, downloadStream } from "../transfer/download.js";
import type { DownloadTask } from "../transfer/tasks.js";
import type { TransferItem } from "../engine/events.js";
import { integrityOf } from "../transfer/integrity.js";
import { createLimiter } from "../engine/limits.js";
import { modifiedAt, PRESERVE_TIME } from "../local/attributes.js";
import { createDirectories, lookLocally, resolveTarget } from "../local/target.js";
import { statOrNothing, statOrUndefined } from "./exists.js";
import {
  type Expected,
  type Placed,
  type Spot,
  besideName,
  heedOf,
  place,
  writeOver,
} from "./if-exists.js";
import { relay } from "../transfer/relay.js";
import type { Opened } from "../transfer/remote.js";
import type { Run } from "../engine/run.js";
import { copyOnService } from "../transfer/server-copy.js";
import { type ObjectRef, type Ref, nameOf } from "../ref.js";
import { targetRef } from "./plan.js";
import type { Source } from "./sources.js";
import type { BucketPlace, CopyRequest, Place } from "./types.js";
import { MIN_PART_SIZE } from "../transfer/sizes.js";
import { UNSEEN, uploadFile, type UploadSettings, uploadStream } from "../transfer/upload.js";

/** The result of a copy. */
export interface Copied extends WriteResult, Placed {
  /** When the content of a download was last changed, where that is known. */
  readonly modified?: number | undefined;
  readonly unverified?: true | undefined;
  /** Names what the source has and the target did not take. */
  readonly lost?: readonly string[] | undefined;
}

export interface Work {
  /**
   * `exists`: the name was taken, and `ifExists` said to skip. With `expected` the name must have
   * just that instead: anything else there throws Drifted.
   */
  copy(
    item: TransferItem,
    source: Exclude<Source, { type: "broken" }>,
    opened: Opened | undefined,
    expected?: Expected,
  ): Copied | "exists" | Promise<Copied | "exists">;
}

/** The work of a request; `container` says that the target takes each source under its own name. */
export function targetWork(run: Run, request: CopyRequest, container: boolean): Work {
  const { target } = request;
  const { ifExists = "replace" } = request;
  const send =
    target.type === "bucket"
      ? toBucket(run, request, target)
      : toLocal(run, request, target, container);
  return {
    copy: (item, source, opened, expected) => {
      const spot = (number: number) => {
        const ref = number === 1 ? item.target : targetRef(target, container, source.name, number);
        return send(item, source, opened, ref, number);
      };
      if (expected !== undefined) {
        const wasNew = typeof expected === "string";
        return spot(1)
          .over(expected)
          .then((written) => ({ ...written, target: item.target, wasNew }));
      }
      return place({
        ifExists,
        source: source.ref,
        sourceInfo: { size: source.size },
        sourceTime: () => timeOf(run, source),
        once: source.type === "stream",
        spot,
      });
    },
  };
}

/** When what is to be copied was last changed, in milliseconds; of a stream that is now. */
async function timeOf(
  run: Run,
  source: Exclude<Source, { type: "broken" }>,
): Promise<number | undefined> {
  if (source.type === "stream") return Date.now();
  if (source.type === "file") return statSync(source.ref.path).mtimeMs;
  const { key, versionId } = source.ref;
  const { signal } = run;
  return modifiedAt(await source.storage.stat(key, { signal, ...(versionId && { versionId }) }));
}

type Send = (
  item: TransferItem,
  source: Exclude<Source, { type: "broken" }>,
  opened: Opened | undefined,
  target: Ref,
  number: number,
) => Spot<Copied> & { over(expected: Expected): Promise<Copied> };

function toBucket(run: Run, request: CopyRequest, target: BucketPlace): Send {
  const { alias, storage } = target;
  const { partSize, stateDir, checksum, verify } = request;
  const download = createLimiter(request.limitDownload);
  const headers = headersOf(request);
  const settings: UploadSettings = {
    run,
    storage,
    alias,
    headers,
    integrity: integrityOf(storage.client, checksum),
    limiter: createLimiter(request.limitUpload),
    partSize,
    stateDir,
    preserve: request.preserve ?? PRESERVE_TIME,
  };
  const write = (
    item: TransferItem,
    source: Exclude<Source, { type: "broken" }>,
    key: string,
    condition?: WriteCondition,
  ): Promise<Copied> => {
    const how =
      condition === undefined ? settings : { ...settings, headers: { ...headers, ...condition } };
    if (source.type === "file") return uploadFile(how, item, source.ref.path, key);
    if (source.type === "stream") return uploadStream(how, item, source.stream, key);
    if (source.storage.client !== storage.client) {
      return relay({ ...how, download, checksum, verify: verify !== false }, item, source, key);
    }
    return copyOnService({
      run,
      item,
      source,
      storage,
      alias,
      key,
      headers,
      condition: condition ?? {},
      partSize,
    });
  };
  return (item, source, _opened, ref) => {
    const { key } = ref as ObjectRef;
    const look = async () => {
      const there = await statOrNothing(storage, key, run.signal);
      return there && { ...there, modified: modifiedAt(there) };
    };
    const { size } = item;
    const onService = source.type === "object" && source.storage.client === storage.client;
    const over = (expected: Expected) =>
      writeOver(expected, {
        target: ref,
        now: async () => (await statOrUndefined(storage, key, run.signal))?.etag,
        write: (condition) => write(item, source, key, condition),
        // The end of an upload in parts is a request of its own.
        heed:
          size !== undefined && size < MIN_PART_SIZE
            ? heedOf(storage.client, onService ? "copy" : "put")
            : undefined,
        repeatable: size !== undefined && size <= UNSEEN && source.type !== "stream",
      });
    const sendNew = () =>
      over("nothing").catch((error: unknown) => {
        if (isAppError(error) && error.code === "Drifted") return "exists" as const;
        throw error;
      });
    const send = (isExclusive: boolean) => (isExclusive ? sendNew() : write(item, source, key));
    return { target: ref, look, send, over };
  };
}

function toLocal(
  run: Run,
  request: CopyRequest,
  target: Exclude<Place, { type: "bucket" }>,
  container: boolean,
): Send {
  const { partSize, stateDir, preserve = PRESERVE_TIME } = request;
  const limiter = createLimiter(request.limitDownload);
  const verify = request.verify !== false;
  const root = container && target.type === "path" ? target.path : undefined;
  const directories = createDirectories();
  const write = (
    task: DownloadTask,
    name: string,
    number: number,
  ): Copied | "exists" | Promise<Copied | "exists"> => {
    if (target.type === "stdio") {
      return downloadStream(task, target.stream as NodeJS.WritableStream);
    }
    if (root === undefined) {
      directories.make(dirname(target.path));
      return downloadFile(task, besideName(target.path, number));
    }
    if (!name.endsWith("/")) {
      return downloadFile(task, directories.place(root, besideName(name, number)));
    }
    // A key that ends with / and has no bytes is what consoles make for a directory.
    if (task.item.size !== 0) throw notAFile(nameOf(task.object.ref));
    directories.make(safePath(root, name.slice(0, -1)));
    return NOTHING_STORED;
  };
  return (item, source, opened, ref, number) => {
    if (source.type !== "object") {
      throw new AppError({ kind: "bug", code: "NotAnObject", message: "the source is no object" });
    }
    const look = async () => {
      // A stream takes everything, and a directory is made once.
      if (ref.type !== "file" || source.name.endsWith("/")) return undefined;
      const there = lookLocally(ref.path);
      return there && { ...there, modified: there.lastModified };
    };
    const send = (noClobber: boolean, pinned: boolean, replaces?: string) => {
      // Copied out: for thousands of objects, spreading the settings shows.
      const task: DownloadTask = {
        run,
        limiter,
        verify,
        noClobber,
        partSize,
        stateDir,
        item,
        object: source,
        root,
        preserve,
        replaces,
        pinned,
        opened,
      };
      return write(task, source.name, number);
    };
    const over = async (expected: Expected) => {
      const replaces = typeof expected === "string" ? undefined : expected.etag;
      const result = await send(replaces === undefined, true, replaces);
      if (result === "exists") {
        // A directory that has the name says so.
        resolveTarget(nameOf(ref), undefined);
        throw drifted(nameOf(ref));
      }
      return result;
    };
    return { target: ref, look, send: (exclusive: boolean) => send(exclusive, false), over };
  };
}

const NOTHING_STORED: WriteResult = {};

function notAFile(name: string): AppError {
  return conflictError(
    "KeyCollision",
    `${name} ends with / and has content: no file can have that name`,
    `to get it under another name: pail cp ${shellWord(name)} ./NAME`,
  );
}
