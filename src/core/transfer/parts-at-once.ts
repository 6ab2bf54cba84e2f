/** Parts of one object, several under way at once. */
import type { Run } from "../engine/run.js";

/** As many as `run.parts` ever lets in: that gate, which all objects share, decides. */
const MOST = 64;

/**
 * Calls `work` again and again, at most `count` calls at once. A call does one part and resolves with
 * its bytes, or with undefined when no part is left. Throws the first failure, once nothing is under
 * way any more.
 */
export async function workOnParts(
  { parts, signal }: Run,
  count: number,
  work: () => Promise<number | undefined>,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  let isOver = false;
  /** Does one part; false when there is nothing more to do. */
  const one = async (): Promise<boolean> => {
    await parts.enter(signal);
    let bytes: number | undefined = 0;
    try {
      if (!isOver) bytes = await work();
      isOver ||= bytes === undefined;
    } finally {
      parts.leave(bytes ?? 0);
    }
    return !isOver;
  };
  const fail = (error: unknown): boolean => {
    isOver = true;
    failure ??= { error };
    return false;
  };
  const worker = async () => {
    let goesOn = true;
    while (goesOn) goesOn = await one().catch(fail);
  };
  await Promise.all(Array.from({ length: Math.min(MOST, count) }, worker));
  if (failure !== undefined) throw failure.error;
}
