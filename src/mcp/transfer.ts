/** The core's transfer engine, asked for one object. */
import { AppError, conflictError, invalidArgument, isAppError } from "../core/failures/errors.js";
import { copy } from "../core/operations/copy.js";
import type { TransferListener } from "../core/engine/events.js";
import type { WriteResult } from "../core/storage/storage.js";
import type { CopyRequest, Place } from "../core/operations/types.js";
import type { Condition, Target } from "./change.js";
import type { Call } from "./tool.js";

/** The result of a write, as far as the service told it. */
export interface Written extends WriteResult {
  /** The parts of the source that a move could not take along. */
  readonly lost?: readonly string[] | undefined;
}

/** An object as the engine knows it. */
export function placeOf(
  call: Call,
  { alias, storage, key }: Target,
  versionId?: string,
): Extract<Place, { type: "bucket" }> {
  const version = versionId === undefined ? {} : { versionId };
  return { type: "bucket", alias: alias ?? call.alias, storage, key, ...version };
}

/** Copies, or with `operation` moves, one object or file; throws what made it fail. */
export async function runCopy(
  call: Call,
  source: Place,
  target: Place,
  condition: Condition,
  options: Omit<CopyRequest, "sources" | "target" | "signal" | "onEvent"> = {},
  operation: typeof copy = copy,
): Promise<Written> {
  if (target.type === "bucket" && target.key.endsWith("/")) throw namesNoObject(target.key);
  let written: Written = {};
  let there = false;
  const onEvent: TransferListener = (event, getSnapshot) => {
    if (event.type === "finished") written = event;
    if (event.type === "skipped") there = true;
    call.onTransfer(event, getSnapshot);
  };
  const report = await operation({
    ...options,
    sources: [source],
    target,
    // An existing object is replaced only while it is the one that was seen.
    ifExists:
      condition.ifNoneMatch !== undefined
        ? "fail"
        : async ({ targetInfo: { size, lastModified } }) =>
            condition.seen?.size === size && condition.seen?.lastModified === lastModified
              ? "replace"
              : "fail",
    signal: call.signal,
    onEvent,
  });
  const failure = report.failures[0];
  if (failure !== undefined) throw failure.error;
  if (there) throw writtenMeanwhile();
  return written;
}

function writtenMeanwhile(): AppError {
  return conflictError(
    "PreconditionFailed",
    "not written: something else was written there meanwhile",
    "look at what is there now",
  );
}

/** The engine would put the object below such a key, under the source's name. */
function namesNoObject(key: string): AppError {
  return invalidArgument(`object_key ${key} ends with /`, "give the object's whole key");
}

/** Does the work; errors name the file as a person knows it, not by its paths of the moment. */
export async function naming<T>(
  shown: string,
  paths: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { kind, code, hint, details } = error;
    const message = paths.reduce((text, path) => text.replaceAll(path, shown), error.message);
    throw new AppError({ kind, code, message, hint, details, cause: error });
  }
}
