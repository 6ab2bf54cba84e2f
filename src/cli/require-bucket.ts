/** The check that a bucket is there, for commands whose first request would not tell. */
import { AppError } from "../core/failures/errors.js";
import type { BucketService } from "../core/storage/s3-types.js";
import { abortable } from "./interrupt.js";
import type { Remote } from "./locations.js";

/** Throws NoSuchBucket. */
export async function requireBucket(
  service: BucketService,
  { alias, bucket }: Pick<Remote, "alias" | "bucket">,
  signal: AbortSignal,
): Promise<void> {
  if (await abortable(service.exists(bucket), signal)) return;
  throw new AppError({
    kind: "not-found",
    code: "NoSuchBucket",
    message: `${alias}/${bucket}: no such bucket`,
    hint: `pail ls ${alias}`,
  });
}
