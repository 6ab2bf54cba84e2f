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
  /** What it takes for the link to work, for a person; undefined when it works by itself. */
  readonly note: string | undefined;
}

/** Signs a link. Nothing is sent, so nothing is checked. */
export async function share(request: ShareRequest): Promise<SharedLink> {
  const { alias, connect, bucket, key, versionId, method = "GET", seconds } = request;
  const { servedAt = SERVED_AT } = request;
  const storage = openBucket(await connect(reachable(alias, servedAt)), bucket);
  const url = await storage.presign(method, key, seconds, { versionId });
  return { url, note: noteOf(alias, servedAt) };
}

/** Signs a form that uploads the key, or below it where it ends with `/`. Nothing is sent. */
export async function shareUpload(
  request: Omit<ShareRequest, "versionId" | "method">,
): Promise<PostForm & { readonly note: string | undefined }> {
  const { alias, connect, bucket, key, seconds, servedAt = SERVED_AT } = request;
  const client = await connect(reachable(alias, servedAt));
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

/** What was shared and still works. */
export function sharedSoFar(stateDir: string): Shared[] {
  const now = new Date().toISOString();
  const lines = readThere(join(stateDir, SHARES))?.toString("utf8").split("\n") ?? [];
  const all = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Shared);
  return all.filter(({ expires }) => expires > now);
}

const SHARES = "shares.jsonl";
