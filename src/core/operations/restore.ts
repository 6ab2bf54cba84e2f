/** Thawing archived objects: they are asked for, and can be read when the service has brought them. */
import { atMost } from "../engine/stream.js";
import { type AppError, isAppError } from "../failures/errors.js";
import { toAppError } from "../failures/map.js";
import type { Filter } from "../filter.js";
import { listKey } from "../listing.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { Restore } from "../storage/storage.js";

export interface RestoreRequest extends Restore {
  /** Everything below the key too. */
  readonly recursive?: boolean | undefined;
  readonly filter?: Filter | undefined;
  readonly versionId?: string | undefined;
  /** Says which objects would be asked for. */
  readonly dryRun?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface Thawed {
  readonly key: string;
  /**
   * `asked`: it will be there in minutes or hours; `under-way`: it was asked for before; `there`: it
   * can be read, and stays so for the days asked; `active`: it is not archived.
   */
  readonly state?: "asked" | "under-way" | "there" | "active" | undefined;
  readonly error?: AppError | undefined;
}

/** Classes whose objects are never archived. */
const ACTIVE = new Set(
  "STANDARD STANDARD_IA ONEZONE_IA REDUCED_REDUNDANCY GLACIER_IR EXPRESS_ONEZONE".split(" "),
);
const AT_ONCE = 32;

/**
 * Asks for the archived objects at, or with `recursive` at and below, a key; yields what becomes of
 * each, page by page. One that fails does not keep the others from their turn.
 */
export async function* restore(
  storage: BucketStorage,
  key: string,
  { recursive = false, filter, versionId, dryRun = false, signal, ...how }: RestoreRequest,
): AsyncGenerator<readonly Thawed[]> {
  const ask = async (key: string, storageClass: string | undefined): Promise<Thawed> => {
    if (recursive && ACTIVE.has(storageClass ?? "STANDARD")) return { key, state: "active" };
    if (dryRun) return { key, state: "asked" };
    try {
      const state = await storage.restore(key, { ...how, versionId, signal });
      return { key, state };
    } catch (error) {
      signal.throwIfAborted();
      const code = isAppError(error) ? error.code : "";
      if (code === "RestoreAlreadyInProgress") return { key, state: "under-way" };
      // An object that is not archived cannot be restored, and need not be.
      if (code === "InvalidObjectState") return { key, state: "active" };
      return { key, error: toAppError(error) };
    }
  };
  if (!recursive) {
    const one = await ask(key, undefined);
    if (one.error !== undefined) throw one.error;
    yield [one];
    return;
  }
  const failed: Thawed[] = [];
  const onProblem = (problem: Thawed) => failed.push(problem);
  for await (const { entries } of listKey(storage, key, { recursive, filter, onProblem, signal })) {
    const objects = entries.filter((entry) => entry.type === "object");
    const results: Thawed[] = [];
    await atMost(AT_ONCE, [...objects.entries()], signal, async ([index, entry]) => {
      results[index] = await ask(entry.key, entry.storageClass);
    });
    signal.throwIfAborted();
    yield [...failed.splice(0), ...results];
  }
}
