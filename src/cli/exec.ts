/** Runs another program for what was found. */
import { AppError } from "../core/failures/errors.js";

/** Runs the words as they are, never by a shell; resolves with what went wrong, or nothing. */
export async function runWith(
  words: readonly string[],
  signal: AbortSignal,
): Promise<AppError | undefined> {
  const { spawn } = await import("node:child_process");
  const [program = "", ...args] = words;
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], signal });
  const end = await new Promise<Error | number | string>((resolve) => {
    child.once("error", resolve);
    child.once("close", (code, by) => resolve(code ?? by ?? 1));
  });
  if (signal.aborted) throw signal.reason;
  if (end === 0) return undefined;
  const said =
    end instanceof Error
      ? `${program} could not be started (${(end as NodeJS.ErrnoException).code})`
      : `${program} ended with ${end}`;
  return new AppError({ kind: "partial", code: "CommandFailed", message: said });
}
