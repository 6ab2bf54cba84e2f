/** The flags of the commands that compare two places, and what they ask of the core. */
import { boolean, option, string } from "@oclif/core/flags";

import { AppError } from "../core/failures/errors.js";
import type { Preserve } from "../core/local/attributes.js";
import type { Listed } from "../core/sync/pairs.js";
import { parseDuration, parseSize } from "../text/units.js";

/** Flags that choose by size and time. */
export const choiceFlags = {
  "newer-than": string({
    description: "Only what was changed since: 7d, 12h, 2025-11-01.",
    helpValue: "TIME",
    helpGroup: "FILTERS",
  }),
  "older-than": string({
    description: "Only what was changed before.",
    helpValue: "TIME",
    helpGroup: "FILTERS",
  }),
  larger: string({
    description: "Only what is larger, as 10MiB.",
    helpValue: "SIZE",
    helpGroup: "FILTERS",
  }),
  smaller: string({
    description: "Only what is smaller.",
    helpValue: "SIZE",
    helpGroup: "FILTERS",
  }),
};

interface Chosen {
  readonly "newer-than"?: string | undefined;
  readonly "older-than"?: string | undefined;
  readonly larger?: string | undefined;
  readonly smaller?: string | undefined;
}

/** What the choice flags take; undefined when they take all. Throws usage errors. */
export function readChoice(flags: Chosen): ((listed: Listed) => boolean) | undefined {
  const { larger, smaller } = flags;
  const since = parseMoment(flags["newer-than"]) ?? -Infinity;
  const until = parseMoment(flags["older-than"]) ?? Infinity;
  const least = larger === undefined ? -1 : parseSize(larger);
  const most = smaller === undefined ? Infinity : parseSize(smaller);
  if (
    Object.values([since, until, least, most]).every(
      (bound) => !Number.isFinite(bound) || bound === -1,
    )
  ) {
    return undefined;
  }
  // What does not tell its time takes no part where times choose.
  return ({ size, modified = Number.NaN }) => {
    const timely =
      (since === -Infinity || modified > since) && (until === Infinity || modified < until);
    return timely && size > least && size < most;
  };
}

/** A moment in milliseconds since the epoch, from a duration before now or a date. Throws a usage error. */
export function parseMoment(text: string | undefined, now = Date.now()): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const moment = Date.parse(text);
    if (!Number.isNaN(moment)) return moment;
    throw new AppError({
      kind: "usage",
      code: "InvalidArgument",
      message: `"${text}" is not a time`,
      hint: "write it as 7d, 12h, 2025-11-01 or 2025-11-01T12:00:00Z",
    });
  }
  return now - parseDuration(text) * 1000;
}

/** Flags about what files keep besides their bytes. */
export const preserveFlags = {
  preserve: boolean({
    char: "a",
    description: "Keep mode, owner and group of files too.",
    helpGroup: "METADATA",
  }),
  "no-preserve-time": boolean({
    description: "Do not keep the modification time of files.",
    helpGroup: "METADATA",
  }),
};

/** What the preserve flags ask. */
export function readPreserve(flags: {
  readonly preserve: boolean;
  readonly "no-preserve-time": boolean;
}): Preserve {
  return { time: !flags["no-preserve-time"], owner: flags.preserve };
}

/** How two things of one name are compared. */
export const compareFlags = {
  compare: option({
    description: "What tells that two are equal. auto: the best there is without needless work.",
    options: ["auto", "checksum", "time", "size"] as const,
    default: "auto" as const,
  })(),
};
