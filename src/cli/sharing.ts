/** The parts that `presign` and `share` have in common: links to objects, and their lifetime. */
import { boolean, string } from "@oclif/core/flags";

import { usageError } from "../core/failures/errors.js";
import { type Shared, SERVED_AT, share } from "../core/operations/share.js";
import { parseDuration } from "../text/units.js";
import { literalFlag, objectNames } from "./address.js";
import type { Session } from "./base.js";
import { remote, requireOne } from "./locations.js";
import { forEachTarget } from "./several.js";

const WEEK = 604_800;

export const sharingFlags = {
  recursive: boolean({ char: "r", description: "Of everything at or below a name." }),
  expires: string({
    description: "How long it works: 15m, 12h; at most 7d.",
    default: "1h",
  }),
  address: string({
    description: "Where the embedded store is served, for an object of the alias local.",
    helpValue: "HOST:PORT",
    default: SERVED_AT,
  }),
  ...literalFlag,
  "version-id": string({ description: "This version.", helpValue: "ID", exclusive: ["upload"] }),
};

export interface SharingInput {
  readonly recursive: boolean;
  readonly expires: string;
  readonly address: string;
  readonly literal: boolean;
  readonly "version-id"?: string | undefined;
}

/** Seconds of `--expires`. Throws a usage error. */
export function secondsOf(text: string): number {
  const seconds = parseDuration(text);
  if (seconds >= 1 && seconds <= WEEK) return seconds;
  throw usageError("InvalidArgument", `a link cannot be valid for ${text}`, "between 1s and 7d");
}

/** Prints a link for each object that is named; returns them. */
export async function printLinks(
  session: Session,
  given: readonly string[],
  flags: SharingInput,
  method: "GET" | "PUT",
): Promise<Shared[]> {
  const { context, output } = session;
  const versionId = flags["version-id"];
  requireOne(given, versionId);
  const seconds = secondsOf(flags.expires);
  const named = method === "PUT" ? given : await objectNames(session, given, flags);
  const made: Shared[] = [];
  const notes = new Set<string>();
  const clients = new Map<string, ReturnType<typeof context.connect>>();
  const connect: typeof context.connect = (reached) => {
    const client = clients.get(reached.name) ?? context.connect(reached);
    clients.set(reached.name, client);
    return client;
  };
  await forEachTarget(session, named, async (text) => {
    const { alias, bucket, key } = await remote(context, text, "key");
    const { url, note, expires } = await share({
      alias: await context.alias(alias),
      connect,
      bucket,
      key,
      versionId,
      method,
      seconds,
      servedAt: flags.address,
    });
    if (note !== undefined && !notes.has(note)) output.note(note);
    notes.add(note ?? "");
    const link = { location: `${alias}/${bucket}/${key}`, url: url.href };
    const until = { expires: expires.toISOString() };
    output.result({ type: "presigned", ...link, method, ...until }, url.href);
    made.push({ kind: "download", ...link, ...until });
  });
  return made;
}
