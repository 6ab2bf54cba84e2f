/** The settings that go along with every object a client writes or reads, in every operation. */
import { hash } from "node:crypto";

import { vendorHeader } from "../../protocol/dialect.js";
import type { Encryption } from "../storage/storage.js";
import type { RequestSpec, SignedClient } from "./client.js";

export interface Extras {
  /** A canned ACL: `private`, `public-read`, … */
  readonly acl?: string | undefined;
  /** Encryption by the service. */
  readonly encryption?: Encryption | undefined;
  /** Encryption with a key of the user's own (SSE-C): 32 bytes. */
  readonly customerKey?: Buffer | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** More headers of what is written, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Questions about an object that are not its content. */
const SUBRESOURCES = ["tagging", "acl", "retention", "legal-hold", "attributes", "restore"];

/** The client that adds them. A copy within the service reads its source with the same key. */
export function withExtras(client: SignedClient, extras: Extras): SignedClient {
  const name = (word: string) => vendorHeader(client.dialect, word);
  const { acl, encryption, customerKey, tags } = extras;
  const written: Record<string, string> = {
    ...extras.headers,
    ...(acl && { [name("acl")]: acl }),
    ...(encryption && { [name("server-side-encryption")]: encryption.algorithm }),
    ...(encryption?.kmsKey && {
      [name("server-side-encryption-aws-kms-key-id")]: encryption.kmsKey,
    }),
    ...(tags && { [name("tagging")]: new URLSearchParams(tags).toString().replaceAll("+", "%20") }),
  };
  const keyHeaders = (prefix: string): Record<string, string> =>
    customerKey === undefined
      ? {}
      : {
          [name(`${prefix}customer-algorithm`)]: "AES256",
          [name(`${prefix}customer-key`)]: customerKey.toString("base64"),
          [name(`${prefix}customer-key-md5`)]: hash("md5", customerKey, "base64"),
        };
  const own = keyHeaders("server-side-encryption-");
  const ofSource = keyHeaders("copy-source-server-side-encryption-");

  // Headers asked for here replace all that a copy would keep.
  const unsaid =
    encryption === undefined && customerKey === undefined
      ? []
      : ["server-side-encryption", "server-side-encryption-aws-kms-key-id"].map(name);
  const add = (spec: RequestSpec): RequestSpec => {
    const { method, key, query = {} } = spec;
    if (key === undefined || method === "DELETE") return spec;
    if (SUBRESOURCES.some((word) => query[word] !== undefined)) return spec;
    // A listing of parts.
    if (method === "GET" && query["uploadId"] !== undefined) return spec;
    const isPart = query["partNumber"] !== undefined;
    const begins = method === "PUT" ? !isPart : query["uploads"] !== undefined;
    const headers: Record<string, string | undefined> = { ...spec.headers };
    for (const header of unsaid) delete headers[header];
    const copies = headers[name("copy-source")] !== undefined;
    return {
      ...spec,
      headers: {
        ...headers,
        ...own,
        ...(copies && ofSource),
        ...(begins && written),
        ...(begins && copies && tags && { [name("tagging-directive")]: "REPLACE" }),
      },
    };
  };
  return {
    ...client,
    request: (spec, accept) => client.request(add(spec), accept),
    rawRequest: (spec) => client.rawRequest(add(spec)),
    signedRequest: (spec) => client.signedRequest(add(spec)),
  };
}
