/** Adding up what is below a place. */
import type { Handler } from "../../controller/deps.js";
import type { Usage } from "./state.js";

/** Milliseconds between two sums shown. */
const REFRESH = 200;

/** Lists everything below a place once, telling the sums by child as they grow. */
export const measure: Handler<"measure"> = async ({ context, dispatch }, effect, signal) => {
  const { page, place } = effect;
  const { prefix } = place;
  const sums = new Map<string, { objects: number; bytes: number }>();
  let shown = performance.now();
  const tell = (done: boolean) => {
    shown = performance.now();
    const rows = Array.from(sums, ([name, sum]): Usage => ({ name, ...sum }));
    rows.sort((a, b) => b.bytes - a.bytes || b.objects - a.objects);
    if (!signal.aborted) dispatch({ type: "measured", page, rows, done });
  };
  const storage = await context.bucket(place.alias, place.bucket);
  for await (const entries of storage.list({ prefix, signal })) {
    for (const entry of entries) {
      if (entry.type !== "object") continue;
      const slash = entry.key.indexOf("/", prefix.length);
      const name = entry.key.slice(prefix.length, slash < 0 ? undefined : slash + 1);
      const sum = sums.get(name) ?? { objects: 0, bytes: 0 };
      sums.set(name, sum);
      sum.objects += 1;
      sum.bytes += entry.size;
    }
    if (performance.now() - shown >= REFRESH) tell(false);
  }
  tell(true);
};
