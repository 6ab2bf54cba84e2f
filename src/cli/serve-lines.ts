/** The lines that `serve` prints, and the way it waits. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError, usageError } from "../core/failures/errors.js";

/** `127.0.0.1:9000`, `:9000` (every interface), `[::1]:9000`. Throws a usage error. */
export function parseAddress(text: string): { host: string; port: number } {
  const match = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw usageError(
      "InvalidArgument",
      `"${text}" is not an address`,
      "write it as HOST:PORT, for example 127.0.0.1:9000",
    );
  }
  return { host: match[1] ?? (match[2] || "::"), port };
}

/**
 * The lines that tell how to reach a running server. The secret is shown only where it is given; an
 * empty one stands for a secret that the owner has set.
 */
export function reachLines(
  endpoint: string,
  accessKeyId: string,
  directory: string,
  secret?: string,
): string[] {
  const shown =
    secret === ""
      ? "the one in PAIL_ROOT_PASSWORD"
      : (secret ?? "shown once, for a new key: pail serve key create");
  return [
    `serving ${directory}`,
    `  endpoint    ${endpoint}`,
    `  access key  ${accessKeyId}`,
    `  secret key  ${shown}`,
    `  with pail   pail alias set NAME ${endpoint} ACCESS_KEY`,
    "Ctrl-C to stop",
  ];
}

/** The key that the environment names. Throws a usage error for half of one. */
export function rootCredentials(
  env: NodeJS.ProcessEnv,
): { accessKeyId: string; secretAccessKey: string } | undefined {
  const { PAIL_ROOT_USER: accessKeyId, PAIL_ROOT_PASSWORD: secretAccessKey } = env;
  if (!accessKeyId && !secretAccessKey) return undefined;
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  throw usageError(
    "InvalidArgument",
    `${accessKeyId ? "PAIL_ROOT_USER" : "PAIL_ROOT_PASSWORD"} is set without ${accessKeyId ? "PAIL_ROOT_PASSWORD" : "PAIL_ROOT_USER"}`,
    "set both, or neither",
  );
}

/** Where the store is; without a path a temporary folder, which `remove` removes. */
export async function storeFolder(
  path: string | undefined,
): Promise<{ path: string; remove: () => Promise<void> }> {
  if (path !== undefined) return { path, remove: () => Promise.resolve() };
  const made = await mkdtemp(join(tmpdir(), "pail-temp-"));
  return { path: made, remove: () => rm(made, { recursive: true, force: true }) };
}

/** The error of a server that could not begin, and where; any other error as it is. */
export function notListening(error: unknown, address: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === undefined ? undefined : REASONS[code];
  if (why === undefined) return error;
  return new AppError({
    kind: code === "EADDRINUSE" ? "conflict" : "usage",
    code: code!,
    message: `cannot listen on ${address}: ${why}`,
    hint: "name another with --address; port 0 takes a free one",
    cause: error,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the address is in use",
  EADDRNOTAVAIL: "this machine does not have the address",
  EACCES: "the port is not for this user to take",
  ENOTFOUND: "there is no such host",
};

/** The warning for a server that can be reached from elsewhere and does not encrypt. */
export function insecureNote(endpoint: string): string | undefined {
  const { protocol, hostname } = new URL(endpoint);
  const loopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname);
  if (protocol === "https:" || loopback) return undefined;
  return "warning: what is sent can be read on the network, encryption keys too; use --tls-cert and --tls-key";
}

/** Resolves when the signal fires. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
