/** Copying, in every direction: what `cp`, the console and the MCP server call. */
import { statSync } from "node:fs";

import { AppError } from "../errors.js";
import { downloadFile, type DownloadSettings, downloadStream } from "./download.js";
import { forEachItem } from "./each.js";
import type { TransferItem } from "./events.js";
import { integrityOf } from "./integrity.js";
import { createLimiter } from "./limits.js";
import { readAhead } from "./read-ahead.js";
import { createDirectories, resolveParent } from "./local-target.js";
import { joinKey } from "./plan.js";
import { relay } from "./relay.js";
import { createRun, type Run } from "./run.js";
import { copyOnService } from "./server-copy.js";
import { requirePartSize } from "./sizes.js";
import { expandSources, labelOf, type Source } from "./sources.js";
import type { CopyRequest, Place, TransferReport } from "./types.js";
import { uploadFile, type UploadSettings, uploadStream } from "./upload.js";
import type { ObjectHeaders, WriteResult } from "../storage/storage.js";

/**
 * Copies the sources to the target (plan.ts says under which names). A failed item is counted and
 * the rest goes on; what stops the whole run is thrown: a source that is the only one and is not
 * there, a bucket that does not exist, refused credentials, an abort (kind `interrupted`).
 */
export async function copy(request: CopyRequest): Promise<TransferReport> {
  requirePartSize(request.partSize);
  const { target, sources } = request;
  const container = takesNames(request);
  const ordered = target.type === "stdio" || sources.some(({ type }) => type === "stdio");
  const run = createRun({ ...request, concurrency: ordered ? 1 : request.concurrency });
  const work = worker(run, request, container);
  try {
    await forEachItem(
      readAhead(planned(run, expandSources(request, run.signal))),
      run.objects,
      run.signal,
      (source) => settle(run, request, source, container, work),
    );
  } catch (error) {
    if (!run.signal.aborted) throw error;
  }
  return run.report();
}

/** Whether the target takes each source under a name of its own, or is itself the name. */
function takesNames({ sources, target, recursive }: CopyRequest): boolean {
  const several = sources.length > 1;
  if (target.type === "stdio") {
    if (recursive === true) throw usage("RecursiveToStdout", "-r cannot write to stdout");
    return false;
  }
  const fromStream = sources.some(({ type }) => type === "stdio");
  const container = several || isContainer(target) || (recursive === true && !isFile(sources[0]));
  if (container && fromStream) {
    throw usage("NameMissing", `stdin has no name of its own: ${labelOf(target)} must be a key`);
  }
  if (sources.some(({ type }) => type === "path" || type === "stdio") && target.type === "path") {
    throw usage(
      "LocalCopy",
      "neither the source nor the target is in a bucket",
      "use cp for local files",
    );
  }
  return container;
}

function usage(code: string, message: string, hint?: string): AppError {
  return new AppError({ kind: "usage", code, message, hint });
}

function isContainer(target: Exclude<Place, { type: "stdio" }>): boolean {
  if (target.type === "bucket") return target.key === "" || target.key.endsWith("/");
  if (/[/\\]$/.test(target.path) || target.path === "") return true;
  return statSync(target.path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(place: Place | undefined): boolean {
  if (place?.type !== "path") return false;
  return statSync(place.path, { throwIfNoEntry: false })?.isDirectory() !== true;
}

async function* planned(run: Run, pages: AsyncIterable<Source[]>): AsyncGenerator<Source[]> {
  for await (const page of pages) {
    let bytes = 0;
    for (const { size } of page) bytes += size ?? 0;
    run.emit({ type: "planned", items: page.length, bytes });
    yield page;
  }
  run.emit({ type: "counted" });
}

type Outcome = Pick<WriteResult, "etag" | "versionId"> | "exists";
type Work = (item: TransferItem, source: Source) => Promise<Outcome>;

/** Runs one item from `started` to its end; resolves with what the gate counts. */
async function settle(
  run: Run,
  request: CopyRequest,
  source: Source,
  container: boolean,
  work: Work,
): Promise<number> {
  const item = run.item({
    action: actionOf(source, request.target),
    source: source.label,
    target: targetLabel(request.target, source, container),
    size: source.size,
  });
  if (request.dryRun === true && source.type !== "broken") {
    run.emit({ type: "skipped", item, reason: "dry-run" });
    return 1;
  }
  run.emit({ type: "started", item });
  try {
    const result = await work(item, source);
    if (result === "exists") run.emit({ type: "skipped", item, reason: "exists" });
    else run.finished(item, result);
  } catch (error) {
    if (request.noClobber === true && isExists(error)) {
      run.emit({ type: "skipped", item, reason: "exists" });
    } else {
      run.failed(item, error);
    }
  }
  return 1;
}

function isExists(error: unknown): boolean {
  return error instanceof AppError && error.code === "PreconditionFailed";
}

function actionOf(source: Source, target: Place): TransferItem["action"] {
  if (target.type !== "bucket") return "download";
  if (source.type !== "object") return "upload";
  return source.object.storage.client === target.storage.client ? "copy" : "relay";
}

function targetLabel(target: Place, source: Source, container: boolean): string {
  if (!container || target.type === "stdio") return labelOf(target);
  if (target.type === "path") return joinKey(target.path, source.name);
  return joinKey(target.label, joinKey(target.key, source.name));
}

function worker(run: Run, request: CopyRequest, container: boolean): Work {
  const { target } = request;
  const upload = createLimiter(request.limitUpload);
  const download = createLimiter(request.limitDownload);
  const headers = headersOf(request);
  if (target.type !== "bucket") {
    const settings: DownloadSettings = {
      run,
      limiter: download,
      verify: request.verify !== false,
      noClobber: request.noClobber === true,
      partSize: request.partSize,
      stateDir: request.stateDir,
    };
    return downloader(settings, target, container);
  }
  const { storage, label } = target;
  const ifNoneMatch = request.noClobber === true ? "*" : undefined;
  const settings: UploadSettings = {
    run,
    storage,
    label,
    headers: { ...headers, ifNoneMatch },
    integrity: integrityOf(storage.client, request.checksum),
    limiter: upload,
    partSize: request.partSize,
    stateDir: request.stateDir,
  };
  return async (item, source) => {
    const key = container ? joinKey(target.key, source.name) : target.key;
    if (source.type === "broken") throw source.error;
    if (ifNoneMatch !== undefined && (await existsRemotely(run, target, key))) return "exists";
    if (source.type === "file") return uploadFile(settings, item, source.path, key);
    if (source.type === "stream") return uploadStream(settings, item, source.stream, key);
    const { object, etag } = source;
    if (object.storage.client !== storage.client) {
      const { checksum, verify } = request;
      return relay(
        { ...settings, download, checksum, verify: verify !== false },
        item,
        object,
        key,
      );
    }
    const { partSize } = request;
    return copyOnService({
      run,
      item,
      source: object,
      etag,
      storage,
      label,
      key,
      headers,
      ifNoneMatch,
      partSize,
    });
  };
}

/**
 * Looks before it writes: saves sending what is there already, and covers services that take
 * If-None-Match for nothing. The condition on the write itself is what makes it safe.
 */
async function existsRemotely(
  run: Run,
  target: Extract<Place, { type: "bucket" }>,
  key: string,
): Promise<boolean> {
  try {
    await target.storage.stat(key, { signal: run.signal });
    return true;
  } catch (error) {
    if (error instanceof AppError && (error.kind === "not-found" || error.kind === "denied")) {
      if (error.code === "NoSuchBucket") throw error;
      return false;
    }
    throw error;
  }
}

function downloader(
  settings: DownloadSettings,
  target: Exclude<Place, { type: "bucket" }>,
  container: boolean,
): Work {
  const directories = createDirectories();
  return async (item, source) => {
    if (source.type === "broken") throw source.error;
    if (source.type !== "object") throw usage("LocalCopy", "the source is not in a bucket");
    const task = { ...settings, item, object: source.object };
    if (target.type === "stdio") {
      return downloadStream(task, target.stream as NodeJS.WritableStream);
    }
    if (!container) {
      directories.make(resolveParent(target.path));
      return downloadFile(task, target.path);
    }
    if (source.name.endsWith("/")) {
      return makeDirectory(
        task,
        directories,
        directories.place(target.path, source.name.slice(0, -1)),
      );
    }
    return downloadFile(task, directories.place(target.path, source.name));
  };
}

/** A key that ends with `/` and has no bytes is what consoles make for a directory. */
async function makeDirectory(
  { run, object, item }: Parameters<typeof downloadFile>[0],
  directories: ReturnType<typeof createDirectories>,
  path: string,
): Promise<Outcome> {
  const size = item.size ?? (await object.storage.stat(object.key, { signal: run.signal })).size;
  if (size > 0) {
    throw new AppError({
      kind: "conflict",
      code: "KeyCollision",
      message: `${object.name} ends with / and has content: no file can have that name`,
      hint: `to get it under another name: pail cp ${object.name} ./NAME`,
    });
  }
  directories.make(path);
  return {};
}

function headersOf(request: CopyRequest): ObjectHeaders {
  return {
    contentType: request.contentType,
    cacheControl: request.cacheControl,
    contentDisposition: request.contentDisposition,
    contentEncoding: request.contentEncoding,
    contentLanguage: request.contentLanguage,
    expires: request.expires,
    storageClass: request.storageClass,
    metadata: request.metadata,
  };
}
