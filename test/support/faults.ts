/** Setting up and clearing up for tests of faults: a store, a proxy, a bucket, a home. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

import { type FaultProxy, startFaultProxy } from "./fault-proxy.js";
import { type FaultyBucket, type FaultyOptions, startFaultyBucket } from "./faulty-bucket.js";
import { createHome, type Home, type RunResult } from "./run.js";
import { hostVariable, type RunningStore, startStore } from "./store.js";

/** Fresh for each test, but for the store; the built command knows the bucket as `t/<name>`. */
export interface Faults {
  readonly store: RunningStore;
  readonly proxy: FaultProxy;
  readonly bucket: FaultyBucket;
  readonly home: Home;
  /** Runs the built command through the proxy. */
  readonly pail: (args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<RunResult>;
}

/** Registers the set-up with vitest; the result is to be read within tests only. */
export function useFaults(options?: FaultyOptions): Faults {
  let store: RunningStore;
  let proxy: FaultProxy;
  let bucket: FaultyBucket;
  let home: Home;
  beforeAll(async () => {
    store = await startStore();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    proxy = await startFaultProxy(store.endpoint);
    bucket = await startFaultyBucket(store, proxy.url, options);
    home = createHome();
  });
  afterEach(async () => {
    home.remove();
    bucket.close();
    await proxy.close();
  });
  return {
    get store() {
      return store;
    },
    get proxy() {
      return proxy;
    },
    get bucket() {
      return bucket;
    },
    get home() {
      return home;
    },
    pail: (args, env) =>
      home.pail(args, {
        env: { ...hostVariable("t", { ...store, endpoint: proxy.url }), ...env },
      }),
  };
}
