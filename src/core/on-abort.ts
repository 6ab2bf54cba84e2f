/** Hearing of an abort in ten thousand places at once. */

const watched = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/**
 * Calls `callback` with the reason when the signal aborts, until the returned function is called.
 * The signal itself gets one listener in all: adding one for each request costs more than signing
 * it. A signal that has aborted already is the caller's to notice.
 */
export function onAbort(signal: AbortSignal, callback: (reason: unknown) => void): () => void {
  let callbacks = watched.get(signal);
  if (callbacks === undefined) {
    const all = new Set<(reason: unknown) => void>();
    callbacks = all;
    watched.set(signal, all);
    const fire = () => {
      for (const each of all) each(signal.reason);
    };
    signal.addEventListener("abort", fire, { once: true });
  }
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}
