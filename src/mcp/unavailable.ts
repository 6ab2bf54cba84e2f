import { isAppError } from "../core/failures/errors.js";

/**
 * What was asked for, or in words why there is none: services lack tags or versioning, or answer
 * oddly about them, and credentials may not ask. What is beside the point of a call shall not end
 * it; only an interruption and a bug go on.
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
