/** The flags of the commands that compare two places, and what they ask of the core. */
import { boolean, option } from "@oclif/core/flags";

import type { Preserve } from "../core/local/attributes.js";

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

/** The attributes that the preserve flags ask to keep. */
export function readPreserve(flags: {
  readonly preserve: boolean;
  readonly "no-preserve-time": boolean;
}): Preserve {
  return { time: !flags["no-preserve-time"], owner: flags.preserve };
}

/** How two things of one name are compared. */
export const compareFlags = {
  compare: option({
    description: "How to tell that two are equal. auto: the best way without needless work.",
    options: ["auto", "checksum", "time", "size"] as const,
    default: "auto" as const,
  })(),
};
