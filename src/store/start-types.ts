/**
 * The types of `pail-cli/store`, for tests. This file is published as it is, as the types of that
 * entry, so it imports nothing.
 */

export interface StartOptions {
  /** Buckets that are there at the start and after every reset. */
  readonly buckets?: readonly string[] | undefined;
  /** The key that may do everything. Default: one that is made up. */
  readonly credentials?: StoreCredentials | undefined;
  /** The one region to be in. Default: any. */
  readonly region?: string | undefined;
  /** Port of 127.0.0.1; 0, the default, takes a free one, and false none. */
  readonly port?: number | false | undefined;
  /**
   * Keeps everything in memory where the system has a file system for that (/dev/shm on Linux);
   * elsewhere, and by default, in the folder for temporary files.
   */
  readonly memory?: boolean | undefined;
  /** Told of every failure of the store's own: what a client sees as 500. Default: nobody. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface StoreCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface StartedStore {
  /** `http://127.0.0.1:34567`; without a port an address that only `client` and `fetch` know. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: StoreCredentials;
  /** Options for `new S3Client` of @aws-sdk/client-s3. It does not go through a port. */
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: StoreCredentials;
    readonly forcePathStyle: true;
    readonly requestHandler: StoreRequestHandler;
  };
  /** Answers a request, such as one to a presigned URL, without a port. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** Empties the store, but for the buckets it was started with. Takes milliseconds. */
  reset(): Promise<void>;
  /** Ends it and leaves nothing. */
  stop(): Promise<void>;
}

/** The request handler of the AWS SDK for JavaScript, version 3. */
export interface StoreRequestHandler {
  readonly metadata: { readonly handlerProtocol: string };
  // The SDK's own classes, which this does not depend on.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  handle(request: any, how?: { abortSignal?: unknown }): Promise<{ response: any }>;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
  destroy(): void;
}
