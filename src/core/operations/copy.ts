/** Copying, in every direction: what `cp`, the console and the MCP server call. */
import { type Run, createRun } from "../engine/run.js";
import { UNKNOWN_SIZE } from "../storage/object-headers.js";
import { forEachItem, readAhead } from "../engine/stream.js";
import type { TransferItem } from "../engine/events.js";
import type { TransferReport } from "../engine/report.js";
import { type Opened, openObject } from "../transfer/remote.js";
import { requirePartSize } from "../transfer/sizes.js";
import { type CopyAction, type CopyPlan, planCopy } from "./plan.js";
import type { Ref } from "../ref.js";
import type { Expected } from "./if-exists.js";
import type { Source } from "./sources.js";
import { type Copied, type Work, targetWork } from "./targets.js";
import type { CopyRequest } from "./types.js";

/**
 * Copies the sources to the target (names.ts says under which names). A failed item is counted and
 * the rest goes on; what stops the whole run is thrown: a source that is the only one and is not
 * there, a bucket that does not exist, refused credentials, an abort (kind `interrupted`).
 */
export function copy(request: CopyRequest): Promise<TransferReport> {
  return carryOut(request, undefined);
}

/** A source that is there and can be read. */
export type Found = Exclude<Source, { type: "broken" }>;

/** The steps of a move around each copy; they live in move.ts. */
export interface Mover {
  /** Finds out the state of a source; the copy is then of that state. */
  pin(run: Run, source: Found, target: Ref): Promise<Pinned>;
  /** Called at the end, however the items ended. */
  end(): void;
}

export interface Pinned {
  readonly source: Found;
  /**
   * The state that the target has now, and must still have when it is written; undefined where none
   * was looked up.
   */
  readonly expected: Expected | undefined;
  /** Proves the copy and removes the source; resolves with what the copy lacks. */
  release(copied: Released): Promise<readonly string[]>;
}

/** A copy, and the name it has. */
export type Released = Copied & { readonly target: Ref };

/** Plans and copies; with a mover, each source is removed once its copy is proven. */
export async function carryOut(
  request: CopyRequest,
  mover: Mover | undefined,
): Promise<TransferReport> {
  requirePartSize(request.partSize);
  const { target, sources } = request;
  const isOrdered = target.type === "stdio" || sources.some(({ type }) => type === "stdio");
  const run = createRun({ ...request, isOrdered });
  try {
    const plan = await planCopy(request, mover !== undefined, run.signal);
    const work = targetWork(run, request, plan.container);
    await forEachItem(readAhead(announced(run, plan)), run.objects, run.signal, (action) =>
      settle(run, request, action, work, mover),
    );
  } catch (error) {
    if (!run.signal.aborted) throw error;
  } finally {
    mover?.end();
  }
  return run.report();
}

async function* announced(run: Run, { actions }: CopyPlan): AsyncGenerator<readonly CopyAction[]> {
  for await (const page of actions) {
    let bytes = 0;
    for (const { source } of page) bytes += source.size ?? 0;
    run.emit({ type: "planned", items: page.length, bytes });
    yield page;
  }
  run.emit({ type: "counted" });
}

/** Runs one item from its start to its end; resolves with what the gate counts. */
async function settle(
  run: Run,
  request: CopyRequest,
  { do: action, source: found, target }: CopyAction,
  work: Work,
  mover: Mover | undefined,
): Promise<number> {
  const { size, ref } = found;
  const moves = mover === undefined ? undefined : true;
  let item = run.item({ action, source: ref, target, size, moves });
  let ready: Ready | undefined;
  try {
    if (found.type === "broken") throw found.error;
    const preparing = prepare(run, request, item, found, mover);
    ready = preparing instanceof Promise ? await preparing : preparing;
    const { source } = ready;
    if (source.size !== size) {
      run.emit({ type: "planned", items: 0, bytes: (source.size ?? 0) - (size ?? 0) });
      item = { ...item, size: source.size };
    }
    if (request.dryRun === true) {
      run.emit({ type: "skipped", item, reason: "dry-run" });
      return 1;
    }
    run.emit({ type: "started", item });
    const copied = await work.copy(item, source, ready.opened, ready.pinned?.expected);
    if (copied === "exists") run.emit({ type: "skipped", item, reason: "exists" });
    else {
      const { target = item.target } = copied;
      if (target !== item.target) item = { ...item, target };
      if (request.onCopied !== undefined) await request.onCopied(copied);
      const lost = ready.pinned && (await ready.pinned.release({ ...copied, target }));
      run.finished(item, lost === undefined ? copied : { ...copied, lost });
    }
  } catch (error) {
    run.failed(item, error);
  }
  if (ready?.opened !== undefined) await ready.opened.release();
  return 1;
}

/** A source whose state and size are known, as far as the work needs them. */
interface Ready {
  readonly source: Found;
  readonly opened?: Opened | undefined;
  readonly pinned?: Pinned;
}

/** Asks for what no listing told; at once when there is nothing to ask for, as there mostly is. */
function prepare(
  run: Run,
  request: CopyRequest,
  item: TransferItem,
  source: Found,
  mover: Mover | undefined,
): Ready | Promise<Ready> {
  if (mover !== undefined && request.dryRun !== true) {
    return mover
      .pin(run, source, item.target)
      .then((pinned) => ({ source: pinned.source, pinned }));
  }
  const isUnknown = source.type === "object" && source.size === undefined;
  return isUnknown ? measure(run, request, item, source) : { source };
}

/** Finds out the size of an object that no listing told about, and with it whether it is there. */
async function measure(
  run: Run,
  request: CopyRequest,
  item: TransferItem,
  source: Extract<Source, { type: "object" }>,
) {
  const { storage, ref } = source;
  const { key, versionId } = ref;
  const opened =
    request.target.type === "bucket" || request.dryRun === true
      ? undefined
      : await openObject(run, item, source);
  const info = opened?.info ?? (await storage.stat(key, { signal: run.signal, versionId }));
  const size = info.size === UNKNOWN_SIZE ? undefined : info.size;
  // For a bucket as it was at a moment, the service itself must be told the version.
  const version = storage.at === undefined ? versionId : info.versionId;
  const measured = { ...ref, etag: ref.etag ?? info.etag, versionId: version };
  return { source: { ...source, size, ref: measured }, opened };
}
