/** Signed clients for tests: of an endpoint, or of a handler that answers in process. */
import type { Credentials, SignedClient } from "../../src/core/http/client.js";
import { createSignedClient } from "../../src/core/http/signed-client.js";
import { AWS_DIALECT, type Dialect } from "../../src/protocol/dialect.js";
import type { HttpHandler } from "../../src/protocol/message.js";

export interface ClientOptions {
  readonly endpoint?: string | undefined;
  readonly credentials?: Credentials | undefined;
  readonly handler?: HttpHandler | undefined;
  readonly region?: string | undefined;
  readonly dialect?: Dialect | undefined;
  /** PEM file. */
  readonly caFile?: string | undefined;
  /** PAIL_TIMEOUT and the like. Default: empty. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const ANYBODY: Credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };

/** Makes a client; without an endpoint, one whose requests go only to its handler. */
export function clientFor(options: ClientOptions): SignedClient {
  const { endpoint = "http://127.0.0.1:1", credentials = ANYBODY, handler } = options;
  return createSignedClient({
    alias: {
      name: "test",
      url: new URL(endpoint),
      region: options.region ?? "us-east-1",
      pathStyle: "on",
      dialect: options.dialect ?? AWS_DIALECT,
      credentials: "static",
      caFile: options.caFile,
      insecure: false,
      origin: "test",
    },
    credentials: async () => credentials,
    env: options.env ?? {},
    handler,
    random: () => 0,
  });
}
