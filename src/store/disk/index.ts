/**
 * The store's disk side as its wire side (operations/) sees it. The wire side has verified the
 * signature, the length and every checksum before it calls what commits; the disk side makes each
 * commit atomic, durable and safe among processes.
 */
import * as buckets from "./buckets.js";
import { copyOf } from "./copy.js";
import type { Directory, KeyRef } from "./directory.js";
import { openDirectory } from "./directory.js";
import { asStoreError } from "./failures.js";
import * as lists from "./list.js";
import * as objects from "./objects.js";
import { stage } from "./stage.js";
import { SWEEP_INTERVAL, sweepNowAndThen } from "./sweep.js";
import * as uploads from "./uploads.js";

/** The operations of a directory. Every method throws a StoreError with S3's own code (errors.ts). */
export type Backend = ReturnType<typeof openDisk>;

/**
 * A backend over a directory, which is made on first use. The directory is all there is: nothing
 * is kept in memory that another process could change.
 */
export function openDisk(directory: string) {
  let opening: Promise<Directory> | undefined;

  const opened = (): Promise<Directory> => {
    opening ??= openDirectory(directory).then((disk) => {
      // In the background; what it could not do now, the next one tries again.
      const sweep = (): void => void sweepNowAndThen(disk).catch(() => undefined);
      sweep();
      setInterval(sweep, SWEEP_INTERVAL).unref();
      return disk;
    });
    // A failure to open is not remembered: the cause may be gone at the next request.
    opening.catch(() => (opening = undefined));
    return opening;
  };

  /** The same function of the opened directory. */
  const on =
    <A extends unknown[], R>(work: (disk: Directory, ...rest: A) => R | Promise<R>) =>
    async (...rest: A): Promise<R> => {
      try {
        return await work(await opened(), ...rest);
      } catch (error) {
        throw asStoreError(error);
      }
    };
  /** Likewise, of a bucket and a key. */
  const onKey = <A extends unknown[], R>(
    work: (disk: Directory, place: KeyRef, ...rest: A) => Promise<R>,
  ): ((bucket: string, key: string, ...rest: A) => Promise<R>) =>
    on((disk: Directory, bucket: string, key: string, ...rest: A) =>
      work(disk, { bucket, key }, ...rest),
    );

  return {
    listBuckets: on(buckets.listBuckets),
    createBucket: on(buckets.createBucket),
    getBucket: on(buckets.getBucket),
    updateBucket: on(buckets.updateBucket),
    deleteBucket: on(buckets.deleteBucket),

    stage: on(stage),
    stageCopy: on(copyOf),

    putObject: onKey(objects.putObject),
    headObject: onKey(objects.headObject),
    openObject: onKey(objects.openObject),
    updateObject: onKey(objects.updateObject),
    deleteObject: onKey(objects.deleteObject),

    listObjects: on(lists.listObjects),
    listVersions: on(lists.listVersions),

    createUpload: onKey(uploads.createUpload),
    getUpload: onKey(uploads.getUpload),
    putPart: onKey(uploads.putPart),
    listParts: onKey(uploads.listParts),
    listUploads: on(uploads.listUploads),
    completeUpload: onKey(uploads.completeUpload),
    abortUpload: onKey(uploads.abortUpload),
  };
}
