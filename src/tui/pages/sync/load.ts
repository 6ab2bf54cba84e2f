/** Comparing two places, and keeping what is to be done as a plan. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { sync } from "../../../core/operations/sync.js";
import { type PlanItem, writePlan } from "../../../core/sync/plan.js";
import { type Handler, failureOf } from "../../controller/deps.js";
import { choiceOf, sideAt } from "../../controller/sides.js";

/** Items that are kept to be looked at. */
const SHOWN = 10_000;
/** Milliseconds between two looks. */
const REFRESH = 200;

/** Compares the two places, and writes down what is to be done. */
export const planSync: Handler<"plan-sync"> = async (
  { context, dispatch, scratch },
  effect,
  signal,
) => {
  const { page, from, to, remove } = effect;
  const path = join(scratch(), `${randomUUID()}.plan`);
  const [source, target] = [await sideAt(context, from), await sideAt(context, to)];
  const made = new Date().toISOString();
  const plan = writePlan(path, { pail: "plan", version: 1, source: from, target: to, made });
  const items: PlanItem[] = [];
  let shown = performance.now();
  let whole = false;
  try {
    const { summary, failures, withheld } = await sync({
      source,
      target,
      choice: choiceOf(remove),
      dryRun: true,
      stateDir: context.directories.state,
      signal,
      onPlanned: (item) => {
        plan.add(item);
        if (items.length < SHOWN) items.push(item);
        if (performance.now() - shown < REFRESH) return;
        shown = performance.now();
        if (!signal.aborted) dispatch({ type: "sync-planned", page, items: [...items] });
      },
    });
    if (signal.aborted) return;
    const wrong = withheld ?? failures[0]?.error;
    whole = wrong === undefined;
    if (whole) plan.end();
    const failure = wrong && failureOf(wrong);
    const { total } = summary;
    dispatch({ type: "sync-planned", page, items, total, failure, plan: whole ? path : undefined });
  } finally {
    if (!whole) plan.discard();
  }
};
