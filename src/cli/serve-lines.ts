/** What `serve` says, and how it waits. */
import { AppError } from "../core/failures/errors.js";

/** `127.0.0.1:9000`, `:9000` (every interface), `[::1]:9000`. Throws a usage error. */
export function parseAddress(text: string): { host: string; port: number } {
  const match = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new AppError({
      kind: "usage",
      code: "InvalidArgument",
      message: `"${text}" is not an address`,
      hint: "write it as HOST:PORT, for example 127.0.0.1:9000",
    });
  }
  return { host: match[1] ?? (match[2] || "::"), port };
}

/** How to reach a running server; the secret is never among it. */
export function reachLines(endpoint: string, accessKeyId: string, directory: string): string[] {
  return [
    `serving ${directory}`,
    `  endpoint    ${endpoint}`,
    `  access key  ${accessKeyId}`,
    "  secret key  shown once, for a new key: pail serve key create",
    `  with pail   pail alias set NAME ${endpoint} ACCESS_KEY`,
    "Ctrl-C to stop",
  ];
}

/** Resolves when the signal fires. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
