/** The embedded S3 store: one directory, one handler. */
import { AWS_DIALECT, type Dialect } from "../protocol/dialect.js";
import type { HttpHandler } from "../protocol/message.js";
import { check, type Checked, type CheckOptions } from "./check.js";
import { openDisk } from "./disk/index.js";
import { type Answered, createHandler } from "./handler.js";
import { type Credentials, type Keys, checkCredentials, openKeyring } from "./keys.js";
import { type LifecycleDone, runLifecycle } from "./lifecycle/run.js";
import { ensureBucket, seed, type Seeded } from "./seed.js";
import { createFormVerifier } from "./verify/form.js";
import { createVerifier } from "./verify/verify.js";

export interface StoreOptions {
  /** The data directory; made on first use. */
  readonly directory: string;
  /** The one region the store is in. Default: any that a client signs for or makes a bucket in. */
  readonly region?: string | undefined;
  /** The spelling of signing it accepts. Default AWS's. */
  readonly dialect?: Dialect | undefined;
  /** A key besides those in the directory, which may do everything. */
  readonly root?: Credentials | undefined;
  /** Buckets that everyone may get objects of and list. */
  readonly publicBuckets?: readonly string[] | undefined;
  /** Domains for virtual-host style: `bucket.<domain>`. Default `localhost` and `s3.localhost`. */
  readonly domains?: readonly string[] | undefined;
  /** The clock, for tests. Default Date.now. */
  readonly now?: (() => number) | undefined;
  /**
   * Told of every failure that is the store's own: what a client sees as a status of 500 and above,
   * or as a body that breaks off. Default: nobody.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Told of every request, once its answer has been read or left. Default: nobody. */
  readonly onAnswer?: ((answered: Answered) => void) | undefined;
}

export interface Store {
  /** Answers any S3 request; the in-process adapter and the node server both call it. */
  readonly handler: HttpHandler;
  readonly keys: Keys;
  /** Makes a bucket unless it is there. Throws a StoreError InvalidBucketName. */
  ensureBucket(name: string): Promise<void>;
  /**
   * Makes the buckets and objects of a folder that are not there yet: each folder in it is a
   * bucket. `typeOf` tells a content type by a file's name.
   */
  seed(folder: string, typeOf: (name: string) => string): Promise<Seeded>;
  /** Reads every object again and compares it with what is said about it. */
  check(wanted?: CheckOptions): AsyncIterable<Checked>;
  /** Applies the lifecycle rules of all buckets, once, as of now. */
  runLifecycle(): Promise<LifecycleDone>;
}

const DEFAULT_DOMAINS = ["localhost", "s3.localhost"];

/** Opens a store; the directory is touched only when something asks for it. */
export function createStore(options: StoreOptions): Store {
  const {
    directory,
    region,
    root,
    publicBuckets = [],
    dialect = AWS_DIALECT,
    domains = DEFAULT_DOMAINS,
    now = Date.now,
    onError = () => undefined,
    onAnswer,
  } = options;
  if (root !== undefined) checkCredentials(root);
  const { keys, keyOf } = openKeyring(directory, root);
  const verifying = { dialect, region, now, keyOf };
  const backend = openDisk(directory);
  const handler = createHandler({
    backend,
    verify: createVerifier(verifying),
    verifyForm: createFormVerifier(verifying),
    dialect,
    region,
    domains,
    publicBuckets: new Set(publicBuckets),
    now,
    onError,
    onAnswer,
  });
  const home = region ?? "us-east-1";
  return {
    handler,
    keys,
    ensureBucket: (name) => ensureBucket(backend, name, home),
    seed: (folder, typeOf) => seed(backend, folder, home, typeOf),
    check: (wanted) => check(backend, wanted),
    runLifecycle: () => runLifecycle(backend, now(), onError),
  };
}
