/** How long a silent connection is waited for. */
import { usageError } from "../failures/errors.js";
import type { ProxyEnvironment } from "./proxy.js";

const DEFAULT_SECONDS = 60;
/** Making a connection is never waited for longer than this, in seconds. */
const CONNECT_SECONDS = 10;
/** A day, in seconds; far below what a timer of Node can count. */
const MOST_SECONDS = 86_400;

/**
 * Both timeouts of a connection in milliseconds, by PAIL_TIMEOUT: seconds without a byte either way
 * before it is given up. Throws an AppError (usage, BadTimeout) for a text that is not such a
 * number.
 */
export function timeoutsFrom(env: ProxyEnvironment): {
  readonly connectTimeout: number;
  readonly idleTimeout: number;
} {
  const text = env["PAIL_TIMEOUT"]?.trim() || String(DEFAULT_SECONDS);
  const seconds = /^\d*\.?\d+$/.test(text) ? Number(text) : 0;
  const idleTimeout = Math.round(seconds * 1000);
  if (idleTimeout < 1 || seconds > MOST_SECONDS) {
    throw usageError(
      "BadTimeout",
      `PAIL_TIMEOUT is ${JSON.stringify(text)}, and must be seconds from 0.001 to ${MOST_SECONDS}`,
      "unset PAIL_TIMEOUT",
    );
  }
  return { idleTimeout, connectTimeout: Math.min(idleTimeout, CONNECT_SECONDS * 1000) };
}
