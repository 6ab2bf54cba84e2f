/** Removal of keys and of everything below a prefix. */
import { factsOf } from "../failures/codes.js";
import { AppError } from "../failures/errors.js";
import { isBounded, matches } from "../filter.js";
import { type ListingProblem, listKey } from "../listing.js";
import type { RemoveResult, RemoveTarget } from "../storage/storage.js";
import { forEachItem, inBatches, readAhead } from "../engine/stream.js";
import { createGate, type Gate } from "../engine/gate.js";
import { type ObjectRef, nameOf } from "../ref.js";
import { recursiveScope } from "./names.js";
import { removeObjects } from "./removal.js";
import { createRun, type Run } from "../engine/run.js";
import type { TransferReport } from "../engine/report.js";
import type { RemoveRequest } from "./types.js";

/** Keys in one DeleteObjects request. */
const BATCH = 1_000;
/** Requests under way; a batch is a thousand removals at the service. */
const BATCHES = 8;

type SizedTarget = RemoveTarget & { readonly size?: number | undefined };

/**
 * Removes what the request names, in parallel batches, with a result for every key. The removal of
 * a thing that is not there is a success. A target with an ETag is removed only while it has that,
 * and fails with Drifted otherwise. A failed key is counted and the rest goes on; a listing that
 * fails is thrown.
 */
export async function remove(request: RemoveRequest): Promise<TransferReport> {
  const run = createRun(request);
  await removeWithin(run, request);
  return run.report();
}

/** Resolves with how many it removed; with 0 when one could not be, as looking again would not help. */
export async function removeWithin(run: Run, request: RemoveRequest): Promise<number> {
  const batches = Math.min(request.concurrency ?? BATCHES, BATCHES);
  const gate = createGate({ initial: batches, max: batches });
  let removed = 0;
  let failed = false;
  const work = async (batch: readonly SizedTarget[]) => {
    const count = await removeBatch(run, gate, request, batch);
    removed += count;
    failed ||= count < batch.length;
    return batch.length;
  };
  try {
    const found = readAhead(planned(run, targetsOf(run, request)));
    await forEachItem(asPages(inBatches(found, BATCH)), gate, run.signal, work);
  } catch (error) {
    if (!run.signal.aborted) throw error;
  }
  return failed ? 0 : removed;
}

async function* asPages<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  for await (const item of items) yield [item];
}

async function* planned(
  run: Run,
  pages: AsyncIterable<SizedTarget[]>,
): AsyncGenerator<SizedTarget[]> {
  for await (const page of pages) {
    run.emit({ type: "planned", items: page.length, bytes: 0 });
    yield page;
  }
  run.emit({ type: "counted" });
}

async function* targetsOf(run: Run, request: RemoveRequest): AsyncGenerator<SizedTarget[]> {
  const { alias, storage, targets, versions, filter, dryRun } = request;
  if (!("prefix" in targets)) {
    for await (const target of targets) yield [target];
    return;
  }
  const { prefix, level = false } = targets;
  if (filter?.names !== undefined && versions !== true && !isBounded(filter)) {
    // Exact keys need no look.
    const { below } = recursiveScope(prefix);
    const keys = filter.names.filter((name) => matches(filter, name)).map((name) => below + name);
    yield keys.map((key) => ({ key }));
    return;
  }
  const onProblem = ({ key, error }: ListingProblem) => {
    const target: ObjectRef = { type: "object", alias, bucket: storage.bucket, key };
    const item = run.item({ action: "remove", source: undefined, target, size: undefined });
    run.emit({ type: "planned", items: 1, bytes: 0 });
    if (error.kind === "not-found") run.emit({ type: "skipped", item, reason: "missing" });
    else run.failed(item, error);
  };
  // Removals need no order; a plan is printed in that of the keys.
  const order = dryRun === true ? "key" : "any";
  const { signal } = run;
  const options = { recursive: !level, versions, filter, order, onProblem, signal } as const;
  for await (const { entries } of listKey(storage, prefix, options)) {
    yield entries
      .filter((entry) => entry.type === "object")
      .map(({ key, size, versionId }) => ({
        key,
        size,
        versionId: versions === true ? versionId : undefined,
      }));
  }
}

/** Resolves with how many it removed. */
async function removeBatch(
  run: Run,
  gate: Gate,
  { alias, storage, dryRun }: Pick<RemoveRequest, "alias" | "storage" | "dryRun">,
  batch: readonly SizedTarget[],
): Promise<number> {
  const refOf = ({ key, versionId, etag }: SizedTarget): ObjectRef => {
    return { type: "object", alias, bucket: storage.bucket, key, versionId, etag };
  };
  const itemOf = (target: SizedTarget) => {
    const { size } = target;
    return run.item({ action: "remove", source: undefined, target: refOf(target), size });
  };
  if (dryRun === true) {
    for (const target of batch) {
      run.emit({ type: "skipped", item: itemOf(target), reason: "dry-run" });
    }
    return 0;
  }
  const pinned = batch.filter(({ etag }) => etag !== undefined);
  const rest = pinned.length === 0 ? batch : batch.filter(({ etag }) => etag === undefined);
  let removed = 0;
  const errors = await removeObjects(storage, pinned.map(refOf), run.signal);
  for (const [index, target] of pinned.entries()) {
    const error = errors[index];
    if (error !== undefined) run.failed(itemOf(target), error.error);
    else {
      run.finished(itemOf(target), { versionId: target.versionId });
      removed += 1;
    }
  }
  if (rest.length === 0) return removed;
  let results: RemoveResult[];
  try {
    results = await storage.remove(rest, {
      signal: run.signal,
      onRetry: (retry) => {
        if (retry.throttled) gate.slowDown();
        run.watch(itemOf(rest[0]!)).onRetry(retry);
      },
    });
  } catch (error) {
    for (const target of rest) run.failed(itemOf(target), error);
    return removed;
  }
  for (const [index, result] of results.entries()) {
    const item = itemOf(rest[index]!);
    if (result.error === undefined) run.finished(item, result);
    else run.failed(item, keyError(nameOf(item.target), result.error));
  }
  return removed + results.filter(({ error }) => error === undefined).length;
}

function keyError(target: string, { code, message }: { code: string; message: string }): AppError {
  return new AppError({
    kind: factsOf(code)?.kind ?? "conflict",
    code,
    message: `cannot remove ${target}: ${message}`,
  });
}
