/** The built `pail serve` as a process of its own, on an ephemeral port. */
import { once } from "node:events";

import { firstRecord, type Home } from "./run.js";

export interface Serve {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly pid: number;
  /** Everything that it has written to stderr so far. */
  errors(): string;
  /** Ends it, with SIGTERM unless told, and resolves with its exit code (null: by the signal). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `pail serve` on the store of a home; resolves once it listens. */
export async function startServe(
  home: Home,
  args: readonly string[] = [],
  address = "127.0.0.1:0",
): Promise<Serve> {
  const key = await home.pail(["serve", "key", "create", "--json"]);
  if (key.code !== 0) throw new Error(`no access key: ${key.stdout}${key.stderr}`);
  const { accessKeyId, secretAccessKey } = JSON.parse(key.stdout) as Record<
    "accessKeyId" | "secretAccessKey",
    string
  >;
  const child = home.start(["serve", "--address", address, "--json", ...args]);
  let errors = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  const first = firstRecord<{ endpoint: string }>(child);
  const { endpoint } = await first.catch((cause: unknown) => {
    throw new Error(`serve ended: ${errors}`, { cause });
  });
  return {
    endpoint,
    accessKeyId,
    secretAccessKey,
    pid: child.pid!,
    errors: () => errors,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      return (await closed)[0];
    },
  };
}
