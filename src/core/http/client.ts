/**
 * The signed-request layer as its users see it: one endpoint, its credentials, and requests that
 * are signed, sent, retried and turned into AppErrors.
 */
import type { S3Client } from "@aws-sdk/client-s3";

import type { Dialect } from "../../protocol/dialect.js";
import type { HttpRequest, HttpResponse, RequestBody } from "../../protocol/message.js";
import type { ChecksumMode, UploadChecksum } from "../config/types.js";
import type { RequestSubject } from "../failures/words.js";
import type { RetryNotice } from "./retry.js";
import type { Tries } from "./tries.js";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** When temporary credentials end. */
  readonly expiration?: Date | undefined;
}

export interface RequestSpec {
  readonly method: string;
  /** Default: none, a request to the service itself. */
  readonly bucket?: string | undefined;
  /** The exact key; encoded by the layer. */
  readonly key?: string | undefined;
  /** Query parameters, unencoded; a parameter without a value is the empty string. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  /** Extra headers, lower-case names. Vendor headers are spelled with `vendorHeader`. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: RequestBody | undefined;
  /**
   * How the body enters the signature: `signed` hashes it (SHA-256), `unsigned` sends
   * UNSIGNED-PAYLOAD. Default: signed over http, unsigned over https; an in-memory or absent body
   * is always signed.
   */
  readonly payload?: "signed" | "unsigned" | undefined;
  /** Hex SHA-256 of the body, when the caller has it already. */
  readonly payloadHash?: string | undefined;
  /** Whether a repeat is harmless. Default: true for every method but POST. */
  readonly idempotent?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called as body bytes leave; a negative count takes back what a failed try had sent. */
  readonly onSent?: ((count: number) => void) | undefined;
  /** Called before a request is tried again. */
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
  /** The tries of the work this request is a part of. Default: tries of its own. */
  readonly tries?: Tries | undefined;
}

export type { RetryNotice } from "./retry.js";

/**
 * Looks at an answer below 300, and may read it; throws when it is not the answer. That ends the
 * try as a failure of the connection would, so another one follows where that may help.
 */
export type Accept = (answer: HttpResponse) => Promise<void> | void;

/** A form for an upload from a web page or by curl. */
export interface PostForm {
  /** Where the form goes. */
  readonly url: string;
  /** By name, to be sent before the file. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface SignedClient {
  readonly endpoint: URL;
  readonly region: string;
  readonly dialect: Dialect;
  /** Whether the channel itself keeps bodies whole: TLS, or no wire at all. */
  readonly secure: boolean;
  /** The proof that uploads to this endpoint need, once it is known; kept with the alias. */
  readonly uploadChecksum: {
    known(): UploadChecksum | undefined;
    remember(checksum: UploadChecksum): Promise<void>;
  };

  /** Whether reads may ask for checksums; `off` when the service refuses to be asked. */
  readonly checksumMode: {
    known(): ChecksumMode | undefined;
    remember(mode: ChecksumMode): Promise<void>;
  };

  /** The time as the service has it, as far as it has told. */
  now(): Date;
  /** The tries of work that is more than one request, or more than a request's head. */
  tries(work: Pick<RequestSpec, "method" | "idempotent" | "signal" | "onRetry">): Tries;
  /** The subject of a request, for messages. */
  subject(spec: Pick<RequestSpec, "method" | "bucket" | "key">): RequestSubject;

  /**
   * Signs and sends; resolves with a response below 400. Retries what is safe to retry, follows a
   * region redirect by signing anew, corrects the clock. Throws the AppError the service's answer
   * maps to, and what `accept` throws when the tries are over.
   */
  request(spec: RequestSpec, accept?: Accept): Promise<HttpResponse>;

  /** The same, but an answer of 400 and above is returned too, never retried. */
  rawRequest(spec: RequestSpec): Promise<HttpResponse>;

  /** The request as it would be sent, signed, for showing; nothing is sent. */
  signedRequest(spec: RequestSpec): Promise<HttpRequest>;

  /** A URL that carries the signature; `expiresIn` is seconds, at most 604,800. */
  presign(spec: RequestSpec, expiresIn: number): Promise<URL>;

  /** A form that uploads a key, or below a prefix that ends with `/`; seconds as for `presign`. */
  presignPost(bucket: string, key: string, expiresIn: number): Promise<PostForm>;

  /** The SDK's client wired to the same signer and handler; loaded on first use. */
  sdk(): Promise<S3Client>;

  /** Closes pooled connections. */
  close(): void;
}
