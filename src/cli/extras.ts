/** The flags for what goes along with every object, and the contexts that apply them. */
import { readFileSync } from "node:fs";

import { string } from "@oclif/core/flags";

import { valueFlag } from "./args.js";
import type { Context } from "../context.js";
import { headerValue } from "../core/http/header-value.js";
import { invalidArgument } from "../core/failures/errors.js";
import { localError } from "../core/failures/local.js";
import type { SignedClient } from "../core/http/client.js";
import { type Extras, withExtras } from "../core/http/extras.js";
import { openBucket } from "../core/storage/s3.js";
import { parsePairs } from "../text/units.js";

/** For commands that read: the key that objects are encrypted with. */
export const keyFlag = {
  "sse-c-key": valueFlag(
    "Key that objects are encrypted with: a file of 32 bytes or their base64, or env:NAME.",
    "FILE",
    { helpGroup: "ENCRYPTION" },
  ),
};

/** For commands that read two places. */
export const keyFlags = {
  ...keyFlag,
  "source-sse-c-key": valueFlag(
    "The same for what is read, where both sides are in buckets. Default: no key.",
    "FILE",
    { helpGroup: "ENCRYPTION" },
  ),
};

/** For commands that write. */
export const extrasFlags = {
  tag: string({
    description: "Tag of what is written; may be repeated.",
    helpValue: "NAME=VALUE",
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: "METADATA",
  }),
  acl: valueFlag("The canned ACL of what is written, as public-read.", "ACL", {
    helpGroup: "METADATA",
  }),
  header: string({
    description: "Any other header of what is written; may be repeated.",
    helpValue: "NAME=VALUE",
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: "METADATA",
  }),
  sse: valueFlag("Encryption by the service: AES256, aws:kms or aws:kms:KEY.", "HOW", {
    helpGroup: "ENCRYPTION",
    exclusive: ["sse-c-key"],
  }),
  ...keyFlags,
};

export interface ExtrasInput {
  readonly tag?: readonly string[] | undefined;
  readonly acl?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly sse?: string | undefined;
  readonly "sse-c-key"?: string | undefined;
  readonly "source-sse-c-key"?: string | undefined;
}

/**
 * The contexts of the source and the target: one for both when their keys are equal, so that a
 * service copies by itself. With `targetIsLocal` the key is the source's. Throws usage errors.
 */
export function contextsWith(
  context: Context,
  flags: ExtrasInput,
  targetIsLocal: boolean,
): { readonly source: Context; readonly target: Context } {
  const { env } = context;
  const extras = readExtras(flags);
  const key = readKey(flags["sse-c-key"], env);
  const sourceKey = readKey(flags["source-sse-c-key"], env) ?? (targetIsLocal ? key : undefined);
  const target = contextWith(context, { ...extras, customerKey: key });
  const sameKey = key?.toString("hex") === sourceKey?.toString("hex");
  return { target, source: sameKey ? target : contextWith(context, { customerKey: sourceKey }) };
}

/** The context whose objects are read with a key. */
export function contextWithKey(context: Context, flags: ExtrasInput): Context {
  return contextsWith(context, flags, true).source;
}

function contextWith(context: Context, extras: Extras): Context {
  if (Object.values(extras).every((value) => value === undefined)) return context;
  const clients = new Map<string, Promise<SignedClient>>();
  const client = (alias: string): Promise<SignedClient> => {
    const known = clients.get(alias);
    if (known !== undefined) return known;
    const made = context.client(alias).then((plain) => withExtras(plain, extras));
    clients.set(alias, made);
    return made;
  };
  return {
    ...context,
    client,
    bucket: async (alias, bucket) => openBucket(await client(alias), bucket),
  };
}

/** Written by pail itself, or part of how a request is sent. */
const TAKEN =
  /^(?:host|authorization|content-length|content-md5|transfer-encoding|expect|connection|te|trailer|upgrade|if-.*|range|.*-(?:date|content-sha256|copy-source.*|customer-key.*|customer-algorithm|security-token|checksum-.*))$/;

function readExtras({ tag, acl, header, sse }: ExtrasInput): Extras {
  const pairs = (header ?? []).map((text): [string, string] => {
    const [, name = "", value = ""] = /^([\w!#$%&'*+.^`|~-]+)\s*[=:]\s*(.*)$/s.exec(text) ?? [];
    const lower = name.toLowerCase();
    if (name === "" || TAKEN.test(lower)) {
      throw invalidArgument(
        name === "" ? `"${text}" is not a header` : `--header cannot set ${name}`,
        "write it as NAME=VALUE",
      );
    }
    return [lower, headerValue(`--header ${name}`, value)];
  });
  if (sse !== undefined) headerValue("--sse", sse);
  const [, algorithm, kmsKey] = /^(AES256|aws:kms)(?::(.+))?$/.exec(sse ?? "") ?? [];
  if (sse !== undefined && (algorithm === undefined || (algorithm === "AES256" && kmsKey))) {
    throw invalidArgument(`--sse: "${sse}" is no encryption`, "AES256, aws:kms or aws:kms:KEY");
  }
  return {
    acl: acl === undefined ? undefined : headerValue("--acl", acl),
    tags: tag === undefined ? undefined : parsePairs(tag, "tag"),
    headers: pairs.length === 0 ? undefined : Object.fromEntries(pairs),
    encryption: algorithm === undefined ? undefined : { algorithm, kmsKey },
  };
}

/** A key of 32 bytes: as they are, in hex or in base64. Errors never show the key. */
function readKey(from: string | undefined, env: NodeJS.ProcessEnv): Buffer | undefined {
  if (from === undefined) return undefined;
  const variable = /^env:(\w+)$/.exec(from)?.[1];
  const bytes = variable === undefined ? readFile(from) : Buffer.from(env[variable] ?? "");
  const text = bytes.toString("latin1").trim();
  const decoded = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, "hex")
    : Buffer.from(text, "base64");
  const key = bytes.length === 32 ? bytes : decoded;
  if (key.length === 32) return key;
  const where = variable === undefined ? from : `the variable ${variable}`;
  throw invalidArgument(
    `${where} does not hold a key of 32 bytes`,
    "make one: openssl rand -base64 32 > KEY",
  );
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw localError(error, "read", path);
  }
}
