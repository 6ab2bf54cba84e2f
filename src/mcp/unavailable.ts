import { isAppError } from "../core/failures/errors.js";

/**
 * The answer, or the words that say why there is none: services lack tags or versioning, or answer
 * oddly about them, and credentials may not be allowed to ask. A question beside the point of a
 * call shall not end the call; only an interruption and a bug are thrown on.
 */
export async function orUnavailable<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (isAppError(error) && error.kind !== "interrupted" && error.kind !== "bug") {
      return `unavailable (${error.code})`;
    }
    throw error;
  }
}
