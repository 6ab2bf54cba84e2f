/** Reads the places named on a command line. */
import { existsSync } from "node:fs";

import type { Context } from "../context.js";
import { AppError, usageError } from "../core/failures/errors.js";
import { type Location, parseLocation, splitRemote } from "../core/location.js";
import { closest } from "../core/suggest.js";

export type Remote = Extract<Location, { type: "remote" }>;

/**
 * An argument that must be on a service: `alias/bucket/key`, with at least the parts `need` says.
 * Throws UnknownAlias with a suggestion, or a usage error for a part that is missing.
 */
export async function remote(
  context: Context,
  text: string,
  need: "alias" | "bucket" | "key",
): Promise<Remote> {
  if (text.includes(":")) requireSlash(await context.aliasNames(), text);
  const [alias, bucket, key] = splitRemote(text);
  // The parser takes -5 for a number.
  if (/^-\d/.test(text)) throw usageError("UnknownFlag", `unknown flag ${text}`);
  await context.alias(alias);
  if (need !== "alias" && bucket === "") {
    throw usageError(
      "InvalidLocation",
      `"${text}" names no bucket`,
      `write it as ${alias}/bucket; pail ls ${alias} lists them`,
    );
  }
  if (need === "key" && key === "") {
    throw usageError(
      "InvalidLocation",
      `"${text}" names no object`,
      `write it as ${alias}/${bucket}/key`,
    );
  }
  return { type: "remote", alias, bucket, key, text };
}

/** An argument that must be a bucket and nothing below it. */
export async function remoteBucket(context: Context, text: string): Promise<Remote> {
  const location = await remote(context, text.replace(/\/$/, ""), "bucket");
  if (location.key === "") return location;
  throw usageError(
    "InvalidLocation",
    `"${text}" is more than a bucket`,
    `write it as ${location.alias}/${location.bucket}`,
  );
}

/**
 * An argument that may be local, remote or `-`. A local path that is not there, and whose first
 * segment is nearly an alias, is taken for the typing mistake that it most likely is:
 * `lcoal/bucket` must not become a directory.
 */
export async function anywhere(context: Context, text: string): Promise<Location> {
  const aliases = await context.aliasNames();
  const location = parseLocation(text, aliases);
  if (location.type === "local" && !existsSync(text)) requireSlash(aliases, text);
  if (location.type !== "local" || !/^[\w-]+\//.test(text)) return location;
  const [first, bucket, key] = splitRemote(text);
  const near = existsSync(first) ? undefined : closest(first, [...aliases]);
  if (near === undefined) return location;
  const meant = [near, bucket, key].filter((part) => part !== "").join("/");
  throw new AppError({
    kind: "usage",
    code: "UnknownAlias",
    message: `there is no alias and no directory "${first}"`,
    hint: `did you mean ${meant}? (./${text} is always a local path)`,
    details: { alias: first },
  });
}

/** Throws for `alias:bucket/key`, as rclone has it: it must not become a file of that name. */
function requireSlash(aliases: ReadonlySet<string>, text: string): void {
  const [, alias = "", rest = ""] = /^([\w-]+):(?!\\)\/*(.*)$/s.exec(text) ?? [];
  if (!aliases.has(alias)) return;
  const place = rest === "" ? alias : `${alias}/${rest}`;
  throw usageError("InvalidLocation", `"${text}" is not a location`, `did you mean ${place}?`);
}

/** The error for a copy from local to local whose target looks as if an alias had been meant. */
export function unknownTarget(text: string): AppError | undefined {
  const [first, bucket] = splitRemote(text);
  if (bucket === "" || !/^[\w-]+\//.test(text) || existsSync(first)) return undefined;
  return new AppError({
    kind: "usage",
    code: "UnknownAlias",
    message: `there is no alias and no directory "${first}"`,
    hint: `pail alias set ${first} URL`,
    details: { alias: first },
  });
}

/** Throws when `versionId` is given for several objects: a version belongs to one object. */
export function requireOne(texts: readonly string[], versionId: string | undefined): void {
  if (versionId === undefined || texts.length === 1) return;
  throw usageError(
    "InvalidLocation",
    "--version-id names a version of one object",
    "name that object alone",
  );
}
