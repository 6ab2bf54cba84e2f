/** Unfinished multipart uploads: they take space, and are paid for, until they are removed. */
import { isAppError } from "../failures/errors.js";
import { type Filter, matches } from "../filter.js";
import type { BucketStorage, UploadEntry } from "../storage/s3-types.js";
import { forEachItem } from "../engine/stream.js";
import { createGate } from "../engine/gate.js";
import { ownName, recursiveScope } from "./names.js";
import { createRun, type Run } from "../engine/run.js";
import type { TransferReport } from "../engine/report.js";
import type { UploadRef } from "../ref.js";
import type { RemoveRequest, RunControl } from "./types.js";

export interface UploadsQuery {
  /**
   * Only uploads of this key and of what is below it, as everywhere: `foo` and `foo/…`, never
   * `foobar`. Default: all.
   */
  readonly key?: string | undefined;
  /** Only uploads begun before this moment, in milliseconds since the epoch. */
  readonly olderThan?: number | undefined;
  /** The chosen ones, by their names below the key. */
  readonly filter?: Filter | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The unfinished uploads of a bucket, page by page. */
export async function* findUploads(
  storage: BucketStorage,
  { key: wanted = "", olderThan, filter, signal }: UploadsQuery,
): AsyncGenerator<UploadEntry[]> {
  const { exact, below } = recursiveScope(wanted);
  for await (const page of storage.listUploads({ prefix: wanted, signal })) {
    yield page.filter(
      ({ key, initiated }) =>
        // The prefix alone takes neighbors too, and there are services that ignore it.
        (key === exact || key.startsWith(below)) &&
        matches(filter, key === exact ? ownName(key) : key.slice(below.length)) &&
        (olderThan === undefined || (initiated !== undefined && initiated < olderThan)),
    );
  }
}

const AT_ONCE = 16;

/** Removes unfinished uploads with their parts. A failed one is counted and the rest goes on. */
export async function abortUploads(
  storage: BucketStorage,
  options: UploadsQuery &
    Pick<RemoveRequest, "alias" | "dryRun" | keyof RunControl> & {
      /** A run this is part of: then the report is that run's. */
      readonly run?: Run | undefined;
    },
): Promise<TransferReport> {
  const run = options.run ?? createRun(options);
  const { alias, dryRun } = options;
  const { bucket } = storage;
  const abort = async ({ key, uploadId }: UploadEntry) => {
    const target: UploadRef = { type: "upload", alias, bucket, key, uploadId };
    const item = run.item({ action: "remove", source: undefined, target, size: undefined });
    if (dryRun === true) {
      run.emit({ type: "skipped", item, reason: "dry-run" });
      return 1;
    }
    try {
      await storage.abortUpload(key, uploadId, { signal: run.signal });
      run.finished(item);
    } catch (error) {
      run.failed(item, error);
    }
    return 1;
  };
  try {
    const gate = createGate({ initial: AT_ONCE, max: AT_ONCE });
    await forEachItem(counted(run, storage, options), gate, run.signal, abort);
  } catch (error) {
    const missing =
      isAppError(error) && error.code === "NotImplemented" && options.run !== undefined;
    if (!run.signal.aborted && !missing) throw error;
  }
  return run.report();
}

async function* counted(
  run: Run,
  storage: BucketStorage,
  query: UploadsQuery,
): AsyncGenerator<UploadEntry[]> {
  for await (const page of findUploads(storage, { ...query, signal: run.signal })) {
    run.emit({ type: "planned", items: page.length, bytes: 0 });
    yield page;
  }
  run.emit({ type: "counted" });
}

export interface UploadsUsage {
  readonly count: number;
  readonly bytes: number;
}

/**
 * The number and size of the unfinished uploads at and below a key, which no listing of objects
 * shows; undefined where the service has no such list or does not let this caller see it.
 */
export async function sumUploads(
  storage: BucketStorage,
  query: UploadsQuery,
): Promise<UploadsUsage | undefined> {
  const { signal } = query;
  let [count, bytes] = [0, 0];
  try {
    for await (const page of findUploads(storage, query)) {
      for (const upload of page) {
        count += 1;
        for await (const parts of storage.listParts(upload.key, upload.uploadId, { signal })) {
          for (const { size } of parts) bytes += size;
        }
      }
    }
  } catch (error) {
    const hidden = ["NotImplemented", "MethodNotAllowed", "AccessDenied", "NoSuchUpload"];
    if (isAppError(error) && hidden.includes(error.code)) return undefined;
    throw error;
  }
  return { count, bytes };
}
