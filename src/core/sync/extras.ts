/**
 * The extra things that only the target has: set aside while the listings run, and removed at the
 * end if that is allowed.
 */
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PID } from "../../system/process.js";
import { createGate } from "../engine/gate.js";
import { atMost, forEachItem, inBatches } from "../engine/stream.js";
import { drifted } from "../failures/errors.js";
import { codeOf } from "../failures/local.js";
import { createLineFile, readLineFile } from "../local/line-file.js";
import { keyPath, unsafeReason } from "../local/safe-path.js";
import { removeObjects } from "../operations/removal.js";
import type { ObjectRef } from "../ref.js";
import { withheld } from "./guard.js";
import { removeFile } from "./keep.js";
import type { Listed } from "./pairs.js";
import { refAt } from "./sides.js";
import { deviceOf, seen, type State } from "./state.js";

/** Removals that are sent, or prepared, at once; a batch is a thousand at the service. */
const BATCH = 1_000;
const BATCHES = 8;
const PREPARED_AT_ONCE = 16;

/** Keeps a name that only the target has for the end, on the disk, however many there are. */
export function setAside(state: State, listed: Listed): void {
  state.extras += 1;
  state.summary.add(listed.name, "gone", listed.size);
  if (state.extra === undefined) {
    const { stateDir } = state.request;
    const directory = stateDir === undefined ? tmpdir() : join(stateDir, "sync");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = `extra-${randomBytes(6).toString("hex")}.jsonl.${PID}`;
    state.extra = createLineFile(join(directory, name));
  }
  state.extra.add(listed);
}

/** Whether a name is, or lies in, something the source has and passes over. */
export function isHidden({ hidden }: State, name: string): boolean {
  if (hidden.size === 0) return false;
  for (let end = name.indexOf("/"); end >= 0; end = name.indexOf("/", end + 1)) {
    if (hidden.has(name.slice(0, end + 1)) || hidden.has(name.slice(0, end))) return true;
  }
  return hidden.has(name);
}

/** Removes what was set aside, if it may be. */
export async function removeExtras(state: State): Promise<void> {
  const { run, request, extras, extra } = state;
  if (extra === undefined) return;
  const { sourceItems, targetItems, unread, failed, request: asked } = state;
  const isPlan = asked.plan !== undefined;
  const moved = deviceOf(asked.source) !== state.device;
  state.withheld = withheld({
    extra: extras,
    targetItems: isPlan ? extras : targetItems,
    sourceItems,
    unread: moved ? unread + 1 : unread,
    failed,
    limit: isPlan ? { items: extras } : asked.deleteLimit,
    allowEmptySource: isPlan || asked.allowEmptySource === true,
    shards: request.filter?.shard?.of,
    remounted: asked.device !== undefined && !state.device.startsWith(`${asked.device} `),
  });
  extra.close();
  for (const line of request.onPlanned === undefined ? [] : readLineFile(extra.path)) {
    const listed = line as Listed;
    request.onPlanned!({ do: "remove", name: listed.name, reason: "extra", target: seen(listed) });
  }
  if (state.withheld !== undefined) return;
  run.emit({ type: "planned", items: extras, bytes: 0 });
  const batches = Math.min(request.concurrency ?? BATCHES, BATCHES);
  const gate = createGate({ initial: batches, max: batches });
  await forEachItem(batchesIn(extra.path), gate, run.signal, async (batch) => {
    await removeBatch(state, batch);
    return batch.length;
  });
}

async function* batchesIn(path: string): AsyncGenerator<(readonly Listed[])[]> {
  const lines = (async function* () {
    for (const line of readLineFile(path)) yield [line as Listed];
  })();
  for await (const batch of inBatches(lines, BATCH)) yield [batch];
}

async function removeBatch(
  { run, request, keep, local }: State,
  batch: readonly Listed[],
): Promise<void> {
  const { source, target, dryRun } = request;
  const itemOf = ({ name, etag, size }: Listed) =>
    run.item({
      action: "remove",
      source: undefined,
      target: refAt(target, { name, etag }),
      size,
      reason: "extra",
    });
  const items = batch.map((listed) => ({ listed, item: itemOf(listed) }));
  if (dryRun === true) {
    for (const { item } of items) run.emit({ type: "skipped", item, reason: "dry-run" });
    return;
  }
  const ready: typeof items = [];
  await atMost(PREPARED_AT_ONCE, items, run.signal, async (one) => {
    const { item, listed } = one;
    try {
      // A file that was moved while the source was listed may have been missed.
      if (local === "source") requireMissing((source as { path: string }).path, listed.name);
      await keep?.(item, listed);
      if (target.type !== "path") return ready.push(one);
      removeFile(target.path, listed);
      run.finished(item);
    } catch (error) {
      run.failed(item, error);
    }
  });
  if (target.type === "path" || ready.length === 0) return;
  const refs = ready.map(({ item }) => item.target as ObjectRef);
  const errors = await removeObjects(target.storage, refs, run.signal);
  for (const [index, { item }] of ready.entries()) {
    const error = errors[index];
    if (error === undefined) run.finished(item);
    else run.failed(item, error.error);
  }
}

/** Throws Drifted when there is something below the root that could be listed under this name. */
function requireMissing(root: string, name: string): void {
  // No file has such a name, though a path made of it may lead to one: `//a` to `a`, `../a` outside.
  if (unsafeReason(name) !== undefined) return;
  const path = keyPath(root, name);
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  } catch (error) {
    // Below a file there is nothing, and no file has a name that the file system finds too long.
    if (["ENOTDIR", "ENAMETOOLONG"].includes(codeOf(error))) return;
    throw error;
  }
  throw drifted(path);
}
