/**
 * Making one place like another: two listings, a decision about each pair, copies as they are found
 * and removals at the end. These rules hold whatever happens:
 *
 * - Nothing is replaced or removed but what was seen: each write and removal is pinned to it.
 * - Nothing is removed before every copy has succeeded and both listings have ended well, nor while
 *   something could not be read; see guard.ts.
 * - A pair that is not copied is known to be equal; an earlier verdict (a fingerprint) is believed
 *   only while both sides are still in the states it speaks of.
 */
import { statSync } from "node:fs";

import type { TransferItem } from "../engine/events.js";
import { createRun } from "../engine/run.js";
import { forEachItem, readAhead } from "../engine/stream.js";
import { notFoundError, usageError } from "../failures/errors.js";
import { shellWord } from "../failures/shell-word.js";
import { isWithin, matches } from "../filter.js";
import type { DiskProblem } from "../local/list.js";
import { nameOf } from "../ref.js";
import { copyPair, fingerprintOf } from "../sync/copy-pair.js";
import { decide, differing, type Verdict } from "../sync/decide.js";
import { isHidden, removeExtras, setAside } from "../sync/extras.js";
import type { Fingerprint } from "../sync/fingerprints.js";
import { type Found, look } from "../sync/look.js";
import { requireApart } from "../sync/overlap.js";
import { mergePairs, type Pair } from "../sync/pairs.js";
import type { PlanItem } from "../sync/plan.js";
import { listSide, refAt, type Side, sideOf } from "../sync/sides.js";
import {
  actionOf,
  createState,
  type State,
  type SyncReport,
  type SyncRequest,
} from "../sync/state.js";
import { requirePartSize } from "../transfer/sizes.js";

/** Groups a summary tells apart. */
const GROUPS = 16;

/**
 * Makes the target like the source. A failed item is counted and the rest goes on; what stops the
 * whole run is thrown: a source that is not there (before anything is done), a listing that fails,
 * an abort.
 */
export async function sync(asked: SyncRequest): Promise<SyncReport> {
  requirePartSize(asked.partSize);
  const [source, target] = [sideOf(asked.source), sideOf(asked.target)];
  const request = { ...asked, source, target };
  if (request.plan === undefined && source.type === "path") requireDirectory(source.path);
  const run = createRun(request);
  await requireApart(request, run.signal);
  const state = createState(run, request);
  let complete = false;
  try {
    const found = request.plan === undefined ? compared(state) : planned(state, request.plan());
    await forEachItem(readAhead(found), run.objects, run.signal, (one) => settle(state, one));
    run.emit({ type: "counted" });
    await requireSource(state);
    complete = !run.signal.aborted;
    if (complete) await removeExtras(state);
  } catch (error) {
    if (!run.signal.aborted) throw error;
  } finally {
    state.extra?.discard();
    if (request.dryRun === true) state.fingerprints.drop();
    else state.fingerprints.keep(complete && request.plan === undefined);
  }
  const report = run.report();
  const { summary, kept } = state;
  return { ...report, summary: summary.end(GROUPS), withheld: state.withheld, kept };
}

function requireDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw usageError(
    "NotADirectory",
    `${path} is a file: a sync is of directories and prefixes`,
    `pail cp ${shellWord(path)} TARGET`,
  );
}

/** A pair about which something is to be done, or to be found out. */
interface Task {
  readonly pair: Pair;
  readonly verdict: Extract<Verdict, { do: "copy" | "look" }>;
  /** Takes what is known of the pair in the end. */
  readonly note: (fingerprint: Fingerprint | undefined) => void;
}

/** Compares the two listings: yields what takes work, counts what is the same, sets extras aside. */
async function* compared(state: State): AsyncGenerator<Task[]> {
  const { run, request, local, fingerprints, summary } = state;
  const { source, target, choice, filter, skipped } = request;
  const list = (side: Side, mayBeMissing: boolean) =>
    listSide(side, {
      filter,
      skipped,
      onSkipped: (name) => state.hidden.add(name),
      withoutMarkers: local !== undefined,
      mayBeMissing,
      signal: run.signal,
      onProblem: (problem) => {
        if (filter?.names !== undefined) {
          // A name that one side lacks is found out when both sides are compared.
          if (problem.error.kind === "not-found") return;
          state.hidden.add(problem.key);
        }
        tellUnread(state, side, problem);
      },
    });
  const unseen = filter?.names?.filter((name) => matches(filter, name)).values();
  for await (const pairs of mergePairs(list(source, false), list(target, true))) {
    const tasks: Task[] = [];
    for (const pair of pairs) {
      const { name } = pair;
      for (const listed of unseen ?? []) {
        if (listed === name) break;
        tellMissing(state, listed);
      }
      if (pair.source !== undefined) state.sourceItems += 1;
      if (pair.target !== undefined) state.targetItems += 1;
      const { size, modified } = pair.source ?? pair.target!;
      if (filter !== undefined && !isWithin(filter, size, modified)) continue;
      // A name that is not listed because it is passed over is neither new nor extra.
      if ((pair.source === undefined || pair.target === undefined) && isHidden(state, name))
        continue;
      const known = fingerprints.of(pair);
      const verdict = decide(pair, choice, local, known !== undefined);
      if (verdict.do === "remove") setAside(state, pair.target!);
      else if (verdict.do === "nothing") {
        summary.add(name, verdict.why === "same" ? "same" : "left", size);
        if (known !== undefined && verdict.why === "same") fingerprints.note(known);
      } else tasks.push({ pair, verdict, note: fingerprints.expect() });
    }
    if (tasks.length > 0) yield tasks;
  }
  for (const listed of unseen ?? []) tellMissing(state, listed);
}

/** The tasks of a plan; its removals wait like any. */
async function* planned(state: State, items: Iterable<PlanItem>): AsyncGenerator<Task[]> {
  for (const item of items) {
    const { name, reason } = item;
    const pair: Pair = {
      name,
      source: item.source && { ...item.source, name },
      target: item.target && { ...item.target, name },
    };
    // The person who applies a plan has judged it: its removals are not guarded by numbers again.
    if (item.do === "remove") setAside(state, pair.target!);
    else yield [{ pair, verdict: { do: "copy", reason }, note: () => undefined }];
  }
}

/** A name of a list that neither side has: it may be a mistake, so it is not a success. */
function tellMissing(state: State, name: string): void {
  if (isHidden(state, name)) return;
  const { source } = state.request;
  const message = `neither the source nor the target has ${nameOf(refAt(source, { name }))}`;
  const error = notFoundError("NoSuchKey", message);
  tellUnread(state, source, { key: name, error });
}

function tellUnread(state: State, side: Side, { key, error }: DiskProblem): void {
  const { run, request } = state;
  const ref = refAt(side, { name: key });
  const isSource = side === request.source;
  run.emit({ type: "planned", items: 1, bytes: 0 });
  const target = isSource ? refAt(request.target, { name: key }) : ref;
  run.failed(
    run.item({ action: "copy", source: isSource ? ref : undefined, target, size: undefined }),
    error,
  );
  state.unread += 1;
}

/** A prefix that has nothing is a name that is not there, unless an empty one was asked for. */
async function requireSource(state: State): Promise<void> {
  const { request, sourceItems, unread } = state;
  const { source, allowEmptySource, plan, filter, skipped } = request;
  if (plan !== undefined || allowEmptySource === true || sourceItems + unread > 0) return;
  if (filter?.shard !== undefined) {
    // A shard may be empty, a source not: the guard of removals is about the whole.
    const whole = { filter: { ...filter, shard: undefined }, skipped, mayBeMissing: true };
    const { signal } = state.run;
    const quiet = { withoutMarkers: state.local !== undefined, onProblem: () => undefined, signal };
    for await (const page of listSide(source, { ...whole, ...quiet })) {
      state.sourceItems += page.length;
      if (page.length > 0) return;
    }
  }
  if (source.type === "path" || source.key === "") return;
  throw notFoundError(
    "NoSuchKey",
    `there is nothing below ${nameOf(refAt(source, { name: "" }))}`,
    "to empty the target, add --delete --allow-empty-source",
  );
}

/** Runs one task to its end; resolves with what the gate counts. */
async function settle(state: State, { pair, verdict, note }: Task): Promise<number> {
  const { run, request, summary } = state;
  const source = pair.source!;
  const item = (reason: TransferItem["reason"]) =>
    run.item({
      action: actionOf(request),
      source: refAt(request.source, source),
      target: refAt(request.target, { name: pair.name }),
      size: source.size,
      reason,
    });
  let fingerprint: Fingerprint | undefined;
  try {
    let found: Verdict = verdict;
    if (found.do === "look") {
      const looked = lookAt(state, pair);
      found = looked instanceof Promise ? await looked : looked;
    }
    if (found.do === "copy") {
      run.emit({ type: "planned", items: 1, bytes: source.size });
      summary.add(pair.name, pair.target === undefined ? "new" : "changed", source.size);
      fingerprint = await copyPair(state, pair, item(found.reason));
    } else {
      const same = found.do === "nothing" && found.why === "same" ? found : undefined;
      summary.add(pair.name, same ? "same" : "left", source.size);
      if (same) fingerprint = fingerprintOf(state, source, pair.target!.etag, same.read);
    }
  } catch (error) {
    // The look failed: nothing was planned for it yet.
    run.emit({ type: "planned", items: 1, bytes: 0 });
    state.failed += 1;
    run.failed(item(undefined), error);
  }
  note(fingerprint);
  return 1;
}

/** A verdict at once when reading a small file gives it. */
function lookAt({ run, request }: State, pair: Pair): Verdict | Promise<Verdict> {
  const both = { source: pair.source!, target: pair.target! };
  const { source, target, choice } = request;
  const judged = (found: Found): Verdict => {
    if (typeof found === "object") return { do: "nothing", why: "same", read: found };
    if (found === "same") return { do: "nothing", why: "same" };
    return differing(found, both.source, both.target, choice);
  };
  const found = look(run, source, target, both, choice.compare);
  return found instanceof Promise ? found.then(judged) : judged(found);
}
