/** The embedded store on a TCP port of its own, in a directory of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createStore, type StoreOptions } from "../../src/store/index.js";
import { listen } from "../../src/store/node-server.js";

export interface RunningStore {
  /** `http://127.0.0.1:<port>`; `https:` with `tls`. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly directory: string;
  close(): Promise<void>;
}

export interface StartOptions extends Partial<StoreOptions> {
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
}

/** Starts a store on an ephemeral port; `close` also removes its directory. */
export async function startStore({ tls, ...options }: StartOptions = {}): Promise<RunningStore> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "pail-store-"));
  const store = createStore({ ...options, directory });
  const { accessKeyId, secretAccessKey } = await store.keys.first();
  const server = await listen(store, { host: "127.0.0.1", port: 0, ...(tls && { tls }) });
  return {
    endpoint: server.url,
    accessKeyId,
    secretAccessKey,
    directory,
    close: async () => {
      await server.close();
      if (options.directory === undefined)
        rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The variable that makes a running store the alias `name`: `PAIL_HOST_<name>`. */
export function hostVariable(name: string, store: RunningStore): NodeJS.ProcessEnv {
  const { accessKeyId, secretAccessKey } = store;
  const url = store.endpoint.replace("://", `://${accessKeyId}:${secretAccessKey}@`);
  return { [`PAIL_HOST_${name}`]: url };
}
