/** The embedded S3 store: one directory, one handler. */
import { AWS_DIALECT, type Dialect } from "../protocol/dialect.js";
import type { HttpHandler } from "../protocol/message.js";
import { openDisk } from "./disk/index.js";
import { createHandler } from "./handler.js";
import { openKeyring } from "./keys.js";
import { createVerifier } from "./verify/verify.js";

export interface StoreOptions {
  /** The data directory; made on first use. */
  readonly directory: string;
  /** Region the store says it is in. Default us-east-1. */
  readonly region?: string | undefined;
  /** The spelling of signing it accepts. Default AWS's. */
  readonly dialect?: Dialect | undefined;
  /** Domains for virtual-host style: `bucket.<domain>`. Default `localhost` and `s3.localhost`. */
  readonly domains?: readonly string[] | undefined;
  /** The clock, for tests. Default Date.now. */
  readonly now?: (() => number) | undefined;
  /**
   * Told of every failure that is the store's own: what a client sees as a status of 500 and above,
   * or as a body that breaks off. Default: nobody.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly created: Date;
  readonly description?: string | undefined;
}

export interface Store {
  /** Answers any S3 request; the in-process adapter and the node server both call it. */
  readonly handler: HttpHandler;
  readonly keys: {
    /** The key made on first use, or the oldest one there is. */
    first(): Promise<AccessKey>;
    list(): Promise<Omit<AccessKey, "secretAccessKey">[]>;
    create(description?: string): Promise<AccessKey>;
    /** Throws a StoreError InvalidAccessKeyId for a key that is not there. */
    remove(accessKeyId: string): Promise<void>;
  };
}

const DEFAULT_DOMAINS = ["localhost", "s3.localhost"];

/** Opens a store; the directory is touched only when something asks for it. */
export function createStore(options: StoreOptions): Store {
  const {
    directory,
    region = "us-east-1",
    dialect = AWS_DIALECT,
    domains = DEFAULT_DOMAINS,
    now = Date.now,
    onError = () => undefined,
  } = options;
  const { keys, secretOf } = openKeyring(directory);
  const verify = createVerifier({ dialect, region, now, secretOf });
  const backend = openDisk(directory);
  const handler = createHandler({ backend, verify, dialect, region, domains, now, onError });
  return { handler, keys };
}
