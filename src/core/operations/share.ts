/** Links to objects that anybody can use for a while. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { readThere, replaceFile } from "../../system/files.js";
import { PID } from "../../system/process.js";
import type { ResolvedAlias } from "../config/types.js";
import type { PostForm, SignedClient } from "../http/client.js";
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
  /** The time until which it works. */
  readonly expires: Date;
  /** A note for a person on what the link needs to work; undefined when it works by itself. */
  readonly note: string | undefined;
}

/** The longest wait for the service to tell its time, in milliseconds. */
const PATIENCE = 3_000;

/** Signs a link, for the service's own time where it tells it. Whether the object is there is not checked. */
export async function share(request: ShareRequest): Promise<SharedLink> {
  const { alias, bucket, key, versionId, method = "GET", seconds } = request;
  const { servedAt = SERVED_AT } = request;
  const client = await timely(request);
  const url = await openBucket(client, bucket).presign(method, key, seconds, { versionId });
  const expires = new Date(client.now().getTime() + seconds * 1000);
  return { url, expires, note: noteOf(alias, servedAt) };
}

/** A client that signs for the service's time: a refusal for a wrong clock teaches it the right one. */
async function timely({ alias, connect, bucket, servedAt }: ShareRequest): Promise<SignedClient> {
  const client = await connect(reachable(alias, servedAt));
  const ask = { method: "HEAD", bucket, signal: AbortSignal.timeout(PATIENCE) };
  // The link is signed all the same when this question fails.
  if (!isEmbedded(alias) && !timed.has(client)) await client.rawRequest(ask).catch(() => undefined);
  timed.add(client);
  return client;
}

const timed = new WeakSet<SignedClient>();

/** Signs a form that uploads the key, or below it where it ends with `/`; for that time, too. */
export async function shareUpload(
  request: Omit<ShareRequest, "versionId" | "method">,
): Promise<PostForm & { readonly note: string | undefined }> {
  const { alias, bucket, key, seconds, servedAt = SERVED_AT } = request;
  const client = await timely(request);
  const form = await client.presignPost(bucket, key, seconds);
  return { ...form, note: noteOf(alias, servedAt) };
}

function noteOf(alias: ResolvedAlias, servedAt: string): string | undefined {
  return isEmbedded(alias)
    ? `it works while this runs: pail serve --address ${servedAt}`
    : undefined;
}

/** A link or form that was made, as long as it works. */
export interface Shared {
  readonly kind: "download" | "upload";
  readonly location: string;
  readonly url: string;
  /** ISO 8601. */
  readonly expires: string;
}

/** Keeps what was shared in a file of the user's alone, and forgets what has expired. */
export async function rememberShared(stateDir: string, made: readonly Shared[]): Promise<void> {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const file = join(stateDir, SHARES);
  const lines = [...sharedSoFar(stateDir), ...made].map((one) => `${JSON.stringify(one)}\n`);
  await replaceFile(file, lines.join(""), `${file}.${PID}`);
}

/** The links that were shared and still work. */
export function sharedSoFar(stateDir: string): Shared[] {
  const now = new Date().toISOString();
  const lines = readThere(join(stateDir, SHARES))?.toString("utf8").split("\n") ?? [];
  const all = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Shared);
  return all.filter(({ expires }) => expires > now);
}

const SHARES = "shares.jsonl";
