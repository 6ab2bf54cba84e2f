/** The removal of a whole bucket. */
import type { TransferReport } from "../engine/report.js";
import { createRun } from "../engine/run.js";
import { AppError } from "../failures/errors.js";
import type { BucketService, BucketStorage } from "../storage/s3-types.js";
import { removeWithin } from "./remove.js";
import type { RemoveRequest, RunControl } from "./types.js";
import { abortUploads } from "./uploads.js";

export interface PurgeRequest extends RunControl {
  readonly alias: string;
  readonly storage: BucketStorage;
  /** The service the bucket is on. */
  readonly service: BucketService;
  /** Says what is in the bucket, and removes nothing. */
  readonly dryRun?: boolean | undefined;
}

/**
 * Looks at a bucket that is emptied, until one finds nothing: others may be writing to it, and
 * there are services that lose their place in a listing when what they stopped at is removed.
 */
const LOOKS = 20;

/**
 * Removes a bucket with everything in it: every object, version and delete marker, and every
 * unfinished upload. While something in it could not be removed the bucket stays, and the report
 * names what it was. Throws what the service says against the removal of the bucket itself.
 */
export async function purge(request: PurgeRequest): Promise<TransferReport> {
  const { storage, service, dryRun } = request;
  const run = createRun(request);
  const everything: RemoveRequest = { ...request, targets: { prefix: "" } };
  const look = async (): Promise<number> => {
    try {
      return await removeWithin(run, { ...everything, versions: true });
    } catch (error) {
      // A service without versions has no other list than the plain one.
      if (!(error instanceof AppError) || error.code !== "NotImplemented") throw error;
      return removeWithin(run, everything);
    }
  };
  for (let looks = 1; (await look()) > 0 && looks < LOOKS; looks += 1);
  await abortUploads(storage, { ...request, run });
  const report = run.report();
  if (dryRun !== true && report.failures.length === 0) await service.remove(storage.bucket);
  return report;
}
