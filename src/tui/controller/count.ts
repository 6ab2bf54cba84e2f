/** Adding up the objects that a question is about. */
import { growingSums, nothing } from "../../core/operations/sum.js";
import { inTurns } from "../state/targets.js";
import type { Count } from "../state/types.js";
import { type Deps, type Handler, failureOf } from "./deps.js";

/** Objects that are added up before the sum so far is told. */
const TOLD = 20_000;

/** Adds up objects and what is below prefixes, telling the sum as it grows. */
export const count: Handler<"count"> = async (deps, effect, signal) => {
  const { dialog, from, targets, versions } = effect;
  let objects = 0;
  let bytes = 0;
  const tell = (more: Omit<Count, "objects" | "bytes">) => {
    if (signal.aborted) return;
    deps.dispatch({ type: "counted", dialog, count: { objects, bytes, ...more } });
  };
  try {
    const keeps = whatIsKept(deps, from.alias, from.bucket);
    const storage = await deps.context.bucket(from.alias, from.bucket);
    for await (const target of inTurns(targets)) {
      if (signal.aborted) return;
      if (target.type === "object") {
        objects += 1;
        bytes += target.size ?? 0;
        if (objects % TOLD === 0) tell({ done: false });
        continue;
      }
      const before = { objects, bytes };
      const growing = growingSums(storage, target.key, { nameOf: () => "", versions, signal });
      for await (const sums of growing) {
        const sum = sums.get("") ?? nothing();
        objects = before.objects + sum.objects + sum.versions + sum.deleteMarkers;
        bytes = before.bytes + sum.bytes;
        tell({ done: false });
      }
    }
    tell({ done: true, keeps: await keeps });
  } catch (error) {
    tell({ done: false, failure: failureOf(error) });
  }
};

/** Whether deleting leaves a version; undefined when the service does not say. */
async function whatIsKept({ context }: Deps, alias: string, bucket: string) {
  try {
    const service = await context.buckets(alias);
    return (await service.getVersioning(bucket)) === "Enabled" ? "versions" : "nothing";
  } catch {
    // Some keys may delete objects but not ask this; the question then says that it is not known.
    return undefined;
  }
}
