/** Adding up what is below a place. */
import { type Usage as Sum, growingSums } from "../../../core/operations/sum.js";
import type { Handler } from "../../controller/deps.js";
import type { Usage } from "./state.js";

/** Milliseconds between two sums shown. */
const REFRESH = 200;

/** Lists everything below a place once, telling the sums by child as they grow. */
export const measure: Handler<"measure"> = async ({ context, dispatch }, effect, signal) => {
  const { page, place } = effect;
  const { prefix } = place;
  const childOf = (key: string) => {
    const slash = key.indexOf("/", prefix.length);
    return key.slice(prefix.length, slash < 0 ? undefined : slash + 1);
  };
  let grown: ReadonlyMap<string, Readonly<Sum>> = new Map();
  let shown = performance.now();
  const tell = (done: boolean) => {
    shown = performance.now();
    const rows = Array.from(grown, ([name, { objects, bytes }]): Usage => {
      return { name, objects, bytes };
    });
    rows.sort((a, b) => b.bytes - a.bytes || b.objects - a.objects);
    if (!signal.aborted) dispatch({ type: "measured", page, rows, done });
  };
  const storage = await context.bucket(place.alias, place.bucket);
  for await (grown of growingSums(storage, prefix, { nameOf: childOf, signal })) {
    if (performance.now() - shown >= REFRESH) tell(false);
  }
  tell(true);
};
