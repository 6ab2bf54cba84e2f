/** Which unfinished uploads a command means; `uploads list` shows what `uploads abort` would take. */
import { string as stringArg } from "@oclif/core/args";
import { string } from "@oclif/core/flags";

import type { Context } from "../context.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import { remote } from "./locations.js";
import { ago } from "../text/units.js";

export const uploadsArgs = {
  target: stringArg({
    description: "alias/bucket or alias/bucket/key",
    required: true,
    ignoreStdin: true,
  }),
};

export const uploadsFlags = {
  "older-than": string({ description: "Only those begun so long ago.", helpValue: "7d" }),
};

export interface UploadsChoice {
  readonly storage: BucketStorage;
  readonly alias: string;
  /** The key with what is below it; empty for the whole bucket. */
  readonly key: string;
  readonly olderThan: number | undefined;
}

/** What the arguments and flags choose. Throws usage errors. */
export async function chooseUploads(
  context: Context,
  args: { readonly target: string },
  flags: { readonly "older-than"?: string | undefined },
): Promise<UploadsChoice> {
  const { alias, bucket, key } = await remote(context, args.target, "bucket");
  const storage = await context.bucket(alias, bucket);
  return { alias, storage, key, olderThan: ago(flags["older-than"]) };
}
