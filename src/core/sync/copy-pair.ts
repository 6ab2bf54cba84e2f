/** Copying one thing of a sync, and what is then known of the two sides. */
import { type Stats, statSync } from "node:fs";
import { join } from "node:path";

import type { TransferItem } from "../engine/events.js";
import { drifted } from "../failures/errors.js";
import { fileState } from "../local/attributes.js";
import { nameOf } from "../ref.js";
import { type Fingerprint, fingerprint } from "./fingerprints.js";
import type { Listed, Pair } from "./pairs.js";
import { type Side, sourceAt } from "./sides.js";
import { seen, type State } from "./state.js";

/** Copies one thing over exactly what was seen there; resolves with what is then known of the two. */
export async function copyPair(
  state: State,
  { source: listed, target }: Pair,
  item: TransferItem,
): Promise<Fingerprint | undefined> {
  const { run, request, work, keep } = state;
  const source = listed!;
  const { name, size, reason } = { ...source, reason: item.reason! };
  request.onPlanned?.({
    do: "copy",
    name,
    reason,
    source: seen(source),
    target: target && seen(target),
  });
  if (request.dryRun === true) {
    run.emit({ type: "skipped", item, reason: "dry-run" });
    return undefined;
  }
  run.emit({ type: "started", item });
  try {
    requirePlanned(state, source);
    if (target !== undefined) await keep?.(item, target);
    const expected = target === undefined ? "unlisted" : { etag: target.etag ?? "" };
    const result = await work.copy(item, sourceAt(request.source, source), undefined, expected);
    if (result === "exists") throw drifted(nameOf(item.target));
    requirePlanned(state, source);
    run.finished(item, result);
    return size === 0 ? undefined : copiedFingerprint(state, source, result);
  } catch (error) {
    state.failed += 1;
    run.failed(item, error);
    return undefined;
  }
}

/** With a plan, a local source must still be what the plan saw; an object is pinned by its ETag. */
function requirePlanned({ request }: State, source: Listed): void {
  if (request.plan === undefined || request.source.type !== "path") return;
  const path = join(request.source.path, source.name);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || fileState(there) !== source.etag) throw drifted(path);
}

/** A file changed less than this ago, in milliseconds, may change again without its time telling. */
const CLOCK_STEP = 100;
const COARSE_STEP = 2_000;

/** The fingerprint of a pair after a copy: the states that both sides are now in. */
function copiedFingerprint(
  state: State,
  source: Listed,
  result: { readonly etag?: string | undefined; readonly modified?: number | undefined },
): Fingerprint | undefined {
  const { local, request } = state;
  if (result.etag === undefined) return undefined;
  if (local !== "target") return fingerprintOf(state, source, result.etag);
  const { target } = request as { target: Extract<Side, { type: "path" }> };
  const there = statSync(join(target.path, source.name), { throwIfNoEntry: false });
  // The file was given an old time: had anybody written to it since, it would have a new one.
  const untouched =
    there?.size === source.size &&
    result.modified !== undefined &&
    Math.abs(there.mtimeMs - result.modified) < 1 &&
    there.mtimeMs < Date.now() - COARSE_STEP;
  return untouched ? fingerprint(source.name, result.etag, fileState(there)) : undefined;
}

/**
 * The fingerprint of two equal things; undefined when the file may have changed since it was
 * listed. `read` is the state of the file, if that was just now asked for.
 */
export function fingerprintOf(
  { local, request }: State,
  source: Listed,
  targetETag: string | undefined,
  read?: Stats,
): Fingerprint | undefined {
  if (source.etag === undefined || targetETag === undefined) return undefined;
  const print = fingerprint(source.name, source.etag, targetETag);
  if (local === undefined) return print;
  const [side, listed] =
    local === "source" ? [request.source, source.etag] : [request.target, targetETag];
  const path = () => join((side as Extract<Side, { type: "path" }>).path, source.name);
  const there = read ?? statSync(path(), { throwIfNoEntry: false });
  if (there === undefined || fileState(there) !== listed) return undefined;
  const step = there.mtimeMs % 1000 === 0 ? COARSE_STEP : CLOCK_STEP;
  return there.ctimeMs < Date.now() - step ? print : undefined;
}
