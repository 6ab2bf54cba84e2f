/** The lines that `serve check` and `serve repair` print. */
import type { Checked } from "../context.js";
import { AppError } from "../core/failures/errors.js";
import { formatSize } from "../text/format.js";
import type { Output } from "./output.js";

/** Shows each object that is not as it was stored. Throws a partial failure while one is left. */
export async function showChecked(
  output: Output,
  checked: AsyncIterable<Checked>,
  signal: AbortSignal,
): Promise<void> {
  let objects = 0;
  let bytes = 0;
  let faults = 0;
  let left = 0;
  for await (const one of checked) {
    signal.throwIfAborted();
    objects += 1;
    bytes += one.size;
    if (one.fault === undefined) continue;
    faults += 1;
    if (one.repaired !== true) left += 1;
    const version = one.versionId === "null" ? "" : ` (version ${one.versionId})`;
    output.result(
      { type: "fault", ...one },
      `local/${one.bucket}/${one.key}${version}: ${one.fault}${one.repaired === true ? "; removed" : ""}`,
    );
  }
  output.result(
    { type: "checked", objects, bytes, faults, left },
    `${objects} objects, ${formatSize(bytes)}: ${faults === 0 ? "all as they were stored" : `${faults} faults`}`,
  );
  if (left === 0) return;
  throw new AppError({
    kind: "partial",
    code: "PartialFailure",
    message: `${left} of ${objects} objects are not as they were stored`,
    hint: "write them again from a copy, or delete them; pail serve repair removes what cannot be read at all",
  });
}
