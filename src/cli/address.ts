/** Locations that may be patterns: how commands take them; the core decides what they mean. */
import { boolean } from "@oclif/core/flags";

import type { Context } from "../context.js";
import {
  type Addressed,
  address,
  mayBePattern,
  onlyPrefixes,
  type Reading,
} from "../core/operations/address.js";
import type { Session } from "./base.js";
import { listKey } from "../core/listing.js";
import { namesAreExact } from "./lists.js";
import { type Remote, remote } from "./locations.js";
import { forEachTarget } from "./several.js";

export const literalFlag = {
  literal: boolean({ description: "Take every name as it is, none for a pattern." }),
};

/** The rule, for the help of the commands that have it. */
export const PATTERN_RULE = `A key is exact. Only where nothing of that name is there, one with "*", "?", "[" or "{" is a pattern: "*" and "?" stop at "/", "**" does not, [a-z] is a set, {a,b} a choice, "\\" makes the next character itself. --literal takes every name as it is.`;

/** The reading of patterns that the flags ask for. */
export function readingOf(flags: {
  readonly literal?: boolean | undefined;
  readonly pattern?: boolean | undefined;
  readonly "version-id"?: string | undefined;
  readonly "files-from"?: string | undefined;
}): Reading {
  const exact = flags["version-id"] ?? flags["files-from"];
  if (flags.literal === true || exact !== undefined) return "exact";
  if (flags.pattern === true) return "pattern";
  return namesAreExact() ? "exact" : "either";
}

/** A place in a bucket, opened. */
export interface OpenedPlace extends Pick<Remote, "alias" | "bucket" | "text">, Addressed {}

export interface PlaceOptions {
  readonly reading: Reading;
  readonly versions?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** The place that a location in a bucket means. Throws the errors of looking at it. */
export async function openRemote(
  context: Context,
  { alias, bucket, key, text }: Remote,
  options: PlaceOptions,
): Promise<OpenedPlace> {
  const storage = await context.bucket(alias, bucket);
  return { alias, bucket, text, ...(await address(storage, key, options)) };
}

/**
 * Does `work` with each place below which a command looks, as `forEachTarget`: the one of each
 * argument, or every bucket of an alias.
 */
export async function forEachPlace(
  session: Pick<Session, "context" | "output" | "signal">,
  targets: readonly string[],
  flags: Parameters<typeof readingOf>[0] & { readonly versions?: boolean | undefined },
  work: (place: OpenedPlace) => Promise<void>,
): Promise<void> {
  const { context, signal } = session;
  const options = { reading: readingOf(flags), versions: flags.versions, signal };
  await forEachTarget(session, targets, async (text) => {
    for await (const place of placesBelow(context, text, options)) await work(place);
  });
}

async function* placesBelow(
  context: Context,
  text: string,
  options: PlaceOptions,
): AsyncGenerator<OpenedPlace> {
  const target = await remote(context, text, "alias");
  if (target.bucket !== "") {
    yield await openRemote(context, target, options);
    return;
  }
  const { alias } = target;
  for (const { name } of await (await context.buckets(alias)).list({ signal: options.signal })) {
    const storage = await context.bucket(alias, name);
    yield { alias, bucket: name, key: "", storage, text: `${alias}/${name}` };
  }
}

type NameFlags = Parameters<typeof readingOf>[0] & { readonly recursive?: boolean };

/**
 * The arguments as exact locations: a pattern is replaced by the objects that it matches. When
 * there are several, one that fails stays as it is and fails when its turn comes.
 */
export async function objectNames(
  { context, signal }: Pick<Session, "context" | "signal">,
  texts: readonly string[],
  flags: NameFlags,
): Promise<string[]> {
  const names: string[] = [];
  for (const text of texts) {
    try {
      const several = mayBePattern(text) || flags.recursive === true;
      names.push(...(several ? await matching(context, text, flags, signal) : [text]));
    } catch (error) {
      if (signal.aborted || texts.length === 1) throw error;
      names.push(text);
    }
  }
  return names;
}

async function matching(
  context: Context,
  text: string,
  flags: NameFlags,
  signal: AbortSignal,
): Promise<string[]> {
  const recursive = flags.recursive === true;
  const target = await remote(context, text, recursive ? "bucket" : "key");
  const place = await openRemote(context, target, { reading: readingOf(flags), signal });
  if (place.pattern === undefined && !recursive) return [text];
  const keys: string[] = [];
  for await (const { entries } of listKey(place.storage, place.key, { recursive, signal })) {
    for (const { type, key } of entries) if (type === "object") keys.push(key);
  }
  if (keys.length === 0) throw onlyPrefixes();
  return keys.map((key) => `${place.alias}/${place.bucket}/${key}`);
}
