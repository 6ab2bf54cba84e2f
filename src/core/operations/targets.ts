/** What is done with each thing found, by where it goes. */
import { dirname } from "node:path";

import { AppError, drifted, isAppError } from "../failures/errors.js";
import { safePath } from "../local/safe-path.js";
import type { ObjectHeaders, WriteCondition, WriteResult } from "../storage/storage.js";
import { downloadFile, downloadStream, type DownloadTask } from "../transfer/download.js";
import type { TransferItem } from "../engine/events.js";
import { integrityOf } from "../transfer/integrity.js";
import { createLimiter } from "../engine/limits.js";
import { PRESERVE_TIME } from "../local/attributes.js";
import { createDirectories, resolveTarget } from "../local/target.js";
import { joinKey } from "./names.js";
import { relay } from "../transfer/relay.js";
import type { Opened } from "../transfer/remote.js";
import type { Run } from "../engine/run.js";
import { copyOnService } from "../transfer/server-copy.js";
import { type Ref, nameOf } from "../ref.js";
import type { Source } from "./sources.js";
import type { BucketPlace, CopyRequest, Place } from "./types.js";
import { uploadFile, type UploadSettings, uploadStream } from "../transfer/upload.js";

/** `exists`: with noClobber, something was there already. */
export type Outcome =
  | (Pick<WriteResult, "etag" | "versionId"> & { readonly modified?: number | undefined })
  | "exists";

/** What the target must still have under the name: nothing, or the state (ETag) that was seen. */
export type Expected = "nothing" | { readonly etag: string };

export interface Work {
  /** What a source will be at the target. */
  targetOf(source: Source): Ref;
  copy(
    item: TransferItem,
    source: Exclude<Source, { type: "broken" }>,
    opened: Opened | undefined,
    expected?: Expected,
  ): Promise<Outcome>;
}

/** The work of a request; `container` says that the target takes each source under its own name. */
export function targetWork(run: Run, request: CopyRequest, container: boolean): Work {
  const { target } = request;
  if (target.type === "bucket") return toBucket(run, request, target, container);
  return toLocal(run, request, target, container);
}

function toBucket(run: Run, request: CopyRequest, target: BucketPlace, container: boolean): Work {
  const { alias, storage } = target;
  const { bucket } = storage;
  const { partSize, stateDir, checksum, verify } = request;
  const download = createLimiter(request.limitDownload);
  const headers = headersOf(request);
  const ifNoneMatch = request.noClobber === true ? "*" : undefined;
  const settings: UploadSettings = {
    run,
    storage,
    alias,
    headers: ifNoneMatch === undefined ? headers : { ...headers, ifNoneMatch },
    integrity: integrityOf(storage.client, checksum),
    limiter: createLimiter(request.limitUpload),
    partSize,
    stateDir,
    preserve: request.preserve ?? PRESERVE_TIME,
  };
  const send: (
    item: TransferItem,
    source: Exclude<Source, { type: "broken" }>,
    key: string,
    condition?: WriteCondition,
  ) => Promise<Outcome> = (item, source, key, condition) => {
    const own =
      condition === undefined
        ? settings
        : { ...settings, headers: { ...settings.headers, ...condition } };
    if (source.type === "file") return uploadFile(own, item, source.ref.path, key);
    if (source.type === "stream") return uploadStream(own, item, source.stream, key);
    if (source.storage.client !== storage.client) {
      return relay({ ...own, download, checksum, verify: verify !== false }, item, source, key);
    }
    const task = { run, item, source, storage, alias, key, headers, partSize };
    return copyOnService({ ...task, condition: condition ?? { ifNoneMatch } });
  };
  /** Writes only over what was seen, or where nothing was. */
  const sendPinned = async (
    item: TransferItem,
    source: Exclude<Source, { type: "broken" }>,
    key: string,
    expected: Expected,
  ) => {
    const holds = async () => (await etagOf(run, target, key)) === wanted;
    const wanted = expected === "nothing" ? undefined : expected.etag;
    const drift = () => drifted(nameOf(item.target));
    // Not every service heeds If-Match, so what is to be replaced is looked at first.
    if (wanted !== undefined && !(await holds())) throw drift();
    try {
      const condition = wanted === undefined ? NOT_THERE : { ifMatch: wanted };
      return await send(item, source, key, condition);
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code === "NotImplemented" && (await holds())) return send(item, source, key);
      const refused = ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"];
      if (refused.includes(error.code) && !(await holds())) throw drift();
      throw error;
    }
  };
  const keyOf = ({ name }: Source) => (container ? joinKey(target.key, name) : target.key);
  const copy: Work["copy"] = async (item, source, _opened, expected) => {
    const key = keyOf(source);
    if (expected !== undefined) return sendPinned(item, source, key, expected);
    if (ifNoneMatch === undefined) return send(item, source, key);
    // Looks before it writes: that saves sending what is there, and covers services that take
    // If-None-Match for nothing. The condition on the write itself is what makes it safe.
    if (await exists(run, target, key)) return "exists";
    try {
      return await send(item, source, key);
    } catch (error) {
      const lost = isAppError(error) && error.code === "PreconditionFailed";
      if (lost && (await exists(run, target, key))) return "exists";
      throw error;
    }
  };
  const targetOf = (source: Source): Ref => {
    return { type: "object", alias, bucket, key: keyOf(source) };
  };
  return { copy, targetOf };
}

const NOT_THERE: WriteCondition = { ifNoneMatch: "*" };

async function exists(run: Run, { storage }: BucketPlace, key: string): Promise<boolean> {
  try {
    await storage.stat(key, { signal: run.signal });
    return true;
  } catch (error) {
    // Who may write need not be allowed to look.
    const unknown = isAppError(error) && ["not-found", "denied"].includes(error.kind);
    if (unknown && error.code !== "NoSuchBucket") return false;
    throw error;
  }
}

/** The ETag an object has now; undefined when there is none. */
async function etagOf(
  run: Run,
  { storage }: BucketPlace,
  key: string,
): Promise<string | undefined> {
  try {
    return (await storage.stat(key, { signal: run.signal })).etag;
  } catch (error) {
    if (isAppError(error) && error.code === "NoSuchKey") return undefined;
    throw error;
  }
}

function toLocal(
  run: Run,
  request: CopyRequest,
  target: Exclude<Place, { type: "bucket" }>,
  container: boolean,
): Work {
  const { partSize, stateDir, preserve = PRESERVE_TIME } = request;
  const limiter = createLimiter(request.limitDownload);
  const verify = request.verify !== false;
  const noClobber = request.noClobber === true;
  const root = container && target.type === "path" ? target.path : undefined;
  const directories = createDirectories();
  const copy: Work["copy"] = async (item, source, opened, expected) => {
    if (expected === undefined) return write(item, source, opened, noClobber);
    const replaces = expected === "nothing" ? undefined : expected.etag;
    const result = await write(item, source, opened, expected === "nothing", true, replaces);
    if (result === "exists") {
      // A directory that has the name says so.
      resolveTarget(nameOf(item.target), undefined);
      throw drifted(nameOf(item.target));
    }
    return result;
  };
  const write = (
    item: TransferItem,
    source: Exclude<Source, { type: "broken" }>,
    opened: Opened | undefined,
    noClobber: boolean,
    pinned = false,
    replaces?: string,
  ): Promise<Outcome> | Outcome => {
    if (source.type !== "object") {
      throw new AppError({ kind: "bug", code: "NotAnObject", message: "the source is no object" });
    }
    const { name } = source;
    // Written out: for thousands of objects, spreading the settings shows.
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
    if (target.type === "stdio") {
      return downloadStream(task, target.stream as NodeJS.WritableStream);
    }
    if (root === undefined) {
      directories.make(dirname(target.path));
      return downloadFile(task, target.path);
    }
    if (!name.endsWith("/")) return downloadFile(task, directories.place(root, name));
    // A key that ends with / and has no bytes is what consoles make for a directory.
    if (item.size !== 0) throw notAFile(nameOf(source.ref));
    directories.make(safePath(root, name.slice(0, -1)));
    return NOTHING_STORED;
  };
  const targetOf = ({ name }: Source): Ref => {
    if (target.type === "stdio") return { type: "stream" };
    return { type: "file", path: root === undefined ? target.path : joinKey(root, name) };
  };
  return { copy, targetOf };
}

const NOTHING_STORED = Promise.resolve({});

function notAFile(name: string): AppError {
  return new AppError({
    kind: "conflict",
    code: "KeyCollision",
    message: `${name} ends with / and has content: no file can have that name`,
    hint: `to get it under another name: pail cp ${name} ./NAME`,
  });
}

const HEADER_NAMES = [
  "contentType",
  "cacheControl",
  "contentDisposition",
  "contentEncoding",
  "contentLanguage",
  "expires",
  "storageClass",
  "metadata",
] as const satisfies readonly (keyof ObjectHeaders)[];

/** The headers asked for, and no others: they are copied for every object. */
function headersOf(request: CopyRequest): ObjectHeaders {
  const asked = HEADER_NAMES.filter((name) => request[name] !== undefined);
  return Object.fromEntries(asked.map((name) => [name, request[name]]));
}
