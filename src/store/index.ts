/** The embedded S3 store: one directory, one handler. */
import type { Dialect } from "../protocol/dialect.js";
import type { HttpHandler } from "../protocol/message.js";

export interface StoreOptions {
  /** The data directory; made on first use. */
  readonly directory: string;
  /** Region the store says it is in. Default us-east-1. */
  readonly region?: string | undefined;
  /** The spelling of signing it accepts. Default AWS's. */
  readonly dialect?: Dialect | undefined;
  /** Domain for virtual-host style: `bucket.<domain>`. Default `localhost` and `s3.localhost`. */
  readonly domains?: readonly string[] | undefined;
  /** The clock, for tests. Default Date.now. */
  readonly now?: (() => number) | undefined;
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
