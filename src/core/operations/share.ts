/** Links to objects that anybody can use for a while. */
import type { ResolvedAlias } from "../config/types.js";
import type { SignedClient } from "../http/client.js";
import { openBucket } from "../storage/s3.js";

/** Where `pail serve` listens unless told otherwise. */
export const SERVED_AT = "127.0.0.1:9000";

/**
 * The alias with an address that others can reach: the embedded store has none of its own, and is
 * found where it is served.
 */
export function reachable(alias: ResolvedAlias, servedAt: string = SERVED_AT): ResolvedAlias {
  return isEmbedded(alias) ? { ...alias, url: new URL(`http://${servedAt}`) } : alias;
}

function isEmbedded({ origin }: ResolvedAlias): boolean {
  return origin === "built-in";
}

export interface ShareRequest {
  readonly alias: ResolvedAlias;
  /** Makes a client of an alias. */
  readonly connect: (alias: ResolvedAlias) => Promise<SignedClient>;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
  /** A link to read from, or one to write to. Default GET. */
  readonly method?: "GET" | "PUT" | undefined;
  /** Seconds it works; at most 604,800. */
  readonly seconds: number;
  /** Where the embedded store is served, as HOST:PORT. */
  readonly servedAt?: string | undefined;
}

export interface SharedLink {
  readonly url: URL;
  /** What it takes for the link to work, for a person; undefined when it works by itself. */
  readonly note: string | undefined;
}

/** Signs a link. Nothing is sent, so nothing is checked. */
export async function share(request: ShareRequest): Promise<SharedLink> {
  const { alias, connect, bucket, key, versionId, method = "GET", seconds } = request;
  const { servedAt = SERVED_AT } = request;
  const storage = openBucket(await connect(reachable(alias, servedAt)), bucket);
  const url = await storage.presign(method, key, seconds, { versionId });
  const note = `it works while this runs: pail serve --address ${servedAt}`;
  return { url, note: isEmbedded(alias) ? note : undefined };
}
