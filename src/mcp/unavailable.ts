import { isAppError } from "../core/failures/errors.js";

/**
 * What was asked for, or in words why there is none: many services lack tags or versioning, and
 * many credentials may not ask. Any other failure goes on.
 */
export async function orUnavailable<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (isAppError(error) && (error.kind === "denied" || error.code === "NotImplemented")) {
      return `unavailable (${error.code})`;
    }
    throw error;
  }
}
