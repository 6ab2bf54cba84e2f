/** The flags of every command that moves or removes objects. */
import { boolean, integer, option, string } from "@oclif/core/flags";

import { valueFlag } from "./args.js";
import { usageError } from "../core/failures/errors.js";
import { headerValue, metadataName } from "../core/http/header-value.js";
import type { ObjectHeaders } from "../core/storage/storage.js";
import type { TuningOptions } from "../core/operations/types.js";
import { parsePairs, parseSize } from "../text/units.js";

/** The flag of commands that read buckets for which the reader pays. */
export const payerFlag = {
  "request-payer": boolean({
    description: "Pay for the requests, as the bucket wants its readers to.",
    helpGroup: "TUNING",
  }),
};

/** Flags that tune how bytes move. */
export const tuningFlags = {
  concurrency: integer({
    description: "Objects, and parts of objects, under way at most. Default: grows while it pays.",
    min: 1,
    max: 1024,
    helpGroup: "TUNING",
  }),
  "part-size": valueFlag(
    "Size of a part of a large object, 5MiB to 5GiB. Default: from the object's size.",
    "SIZE",
    { helpGroup: "TUNING" },
  ),
  "limit-upload": valueFlag("Bytes a second at most, as 10MiB.", "SIZE", { helpGroup: "TUNING" }),
  "limit-download": valueFlag("Bytes a second at most, as 10MiB.", "SIZE", { helpGroup: "TUNING" }),
  retries: integer({
    description: "Repeats of a request that failed and may be repeated. Default 4.",
    min: 0,
    max: 100,
    helpGroup: "TUNING",
  }),
  checksum: option({
    description: "Checksum the service verifies. Default: the best it accepts.",
    options: ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256", "none"] as const,
    helpGroup: "TUNING",
  })(),
  "no-verify": boolean({
    description: "Do not check downloads against the stored checksum.",
    helpGroup: "TUNING",
  }),
  ...payerFlag,
};

/** Flags that say something about the objects made. */
export const headerFlags = {
  "content-type": valueFlag("Media type. Default: from the name.", "TYPE", {
    helpGroup: "METADATA",
  }),
  "cache-control": string({
    description: "Cache-Control to serve it with.",
    helpGroup: "METADATA",
  }),
  "content-encoding": string({
    description: "How the bytes are compressed, as gzip.",
    helpGroup: "METADATA",
  }),
  "content-disposition": string({
    description: "How browsers treat it, as attachment; filename=a.txt.",
    helpGroup: "METADATA",
  }),
  "content-language": string({
    description: "Language of the text, as de.",
    helpGroup: "METADATA",
  }),
  expires: valueFlag("When caches let go of it: a date, as 2026-01-31.", "DATE", {
    helpGroup: "METADATA",
  }),
  "storage-class": string({ description: "Storage class, as STANDARD_IA.", helpGroup: "METADATA" }),
  metadata: string({
    description: "Metadata of your own; may be repeated.",
    helpValue: "NAME=VALUE",
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: "METADATA",
  }),
};

/** The options of the engine that the tuning flags ask for. Throws usage errors. */
export function tuning(flags: {
  readonly concurrency?: number | undefined;
  readonly "part-size"?: string | undefined;
  readonly "limit-upload"?: string | undefined;
  readonly "limit-download"?: string | undefined;
  readonly checksum?: TuningOptions["checksum"];
  readonly "no-verify": boolean;
}): TuningOptions {
  const size = (text: string | undefined) => (text === undefined ? undefined : parseSize(text));
  return {
    concurrency: flags.concurrency,
    partSize: size(flags["part-size"]),
    limitUpload: size(flags["limit-upload"]),
    limitDownload: size(flags["limit-download"]),
    checksum: flags.checksum,
    verify: !flags["no-verify"],
  };
}

/** A date as HTTP writes it. Throws a usage error. */
function httpDate(text: string): string {
  const moment = Date.parse(text);
  if (!Number.isNaN(moment)) return new Date(moment).toUTCString();
  throw usageError(
    "InvalidArgument",
    `"${text}" is not a date`,
    "write it as 2026-01-31 or 2026-01-31T10:00:00Z",
  );
}

/** The flags that become a header each, by the option of the core. */
const HEADERS = {
  contentType: "content-type",
  cacheControl: "cache-control",
  contentDisposition: "content-disposition",
  contentEncoding: "content-encoding",
  contentLanguage: "content-language",
  storageClass: "storage-class",
} as const;

type HeaderFlags = {
  readonly [name in (typeof HEADERS)[keyof typeof HEADERS]]?: string | undefined;
} & {
  readonly expires?: string | undefined;
  readonly metadata?: readonly string[] | undefined;
};

/** The headers that the flags give; metadata names in lower case, as they travel. Throws usage errors. */
export function objectHeaders(flags: HeaderFlags): ObjectHeaders {
  const headers = Object.entries(HEADERS).flatMap(([option, flag]) => {
    const value = flags[flag];
    return value === undefined ? [] : [[option, headerValue(`--${flag}`, value)]];
  });
  const pairs = Object.entries(parsePairs(flags.metadata ?? [], "metadata entry"));
  return {
    ...(Object.fromEntries(headers) as ObjectHeaders),
    ...(flags.expires !== undefined && { expires: httpDate(flags.expires) }),
    ...(pairs.length > 0 && {
      metadata: Object.fromEntries(
        pairs.map(([name, value]) => [metadataName(name).toLowerCase(), value]),
      ),
    }),
  };
}
