/** Commands with several targets: one that fails does not keep the others from their turn. */
import { AppError, isAppError } from "../core/failures/errors.js";
import { formatCount } from "../text/format.js";
import type { Session } from "./base.js";
import { toProblem } from "./problem.js";

/**
 * Does `work` with each target in turn. The only target's error is thrown as it is; of several, each
 * failure is told where it happens and the end is a partial failure. An interruption ends it at once.
 */
export async function forEachTarget(
  { output, signal }: Pick<Session, "output" | "signal">,
  targets: readonly string[],
  work: (target: string, index: number) => Promise<void>,
): Promise<void> {
  if (targets.length === 1) return await work(targets[0]!, 0);
  let failed = 0;
  for (const [index, target] of targets.entries()) {
    try {
      await work(target, index);
    } catch (error) {
      const problem = toProblem(error, "pail");
      if (signal.aborted || (isAppError(error) && error.kind === "interrupted")) throw error;
      failed += 1;
      output.itemError({ type: "failed", target }, problem);
    }
  }
  if (failed > 0) throw partial(failed, targets.length, "target");
}

/** The error of a command some of whose items failed; each was named already. */
export function partial(failed: number, total: number, noun: string): AppError {
  return new AppError({
    kind: "partial",
    code: "PartialFailure",
    message: `${failed} of ${formatCount(total, noun)} failed`,
    details: { failed, total },
  });
}
