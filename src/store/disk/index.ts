/** The store's disk side: a Backend over one directory, which several processes may share. */
import type { Backend, OpenBlob, StagedBlob } from "../backend.js";
import * as buckets from "./buckets.js";
import { copyOf } from "./copy.js";
import type { Directory } from "./directory.js";
import { openDirectory } from "./directory.js";
import { asStoreError } from "./failures.js";
import * as lists from "./list.js";
import * as objects from "./objects.js";
import type { DiskOpenBlob } from "./reader.js";
import type { DiskBlob } from "./stage.js";
import { stage } from "./stage.js";
import { SWEEP_INTERVAL, sweepNowAndThen } from "./sweep.js";
import * as uploads from "./uploads.js";

/**
 * A backend over a directory, which is made on first use. The directory is all there is: nothing
 * is kept in memory that another process could change.
 */
export function openDisk(directory: string): Backend {
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

  const using = async <T>(work: (disk: Directory) => Promise<T>): Promise<T> => {
    try {
      return await work(await opened());
    } catch (error) {
      throw asStoreError(error);
    }
  };

  const listing = <T>(bucket: string, work: (disk: Directory) => Promise<T>): Promise<T> =>
    using(async (disk) => {
      buckets.getBucket(disk, bucket);
      return work(disk);
    });

  return {
    listBuckets: () => using(buckets.listBuckets),
    createBucket: (name, region, settings = {}) =>
      using((disk) => buckets.createBucket(disk, name, region, settings)),
    getBucket: (name) => using(async (disk) => buckets.getBucket(disk, name)),
    updateBucket: (name, change) => using((disk) => buckets.updateBucket(disk, name, change)),
    deleteBucket: (name) => using((disk) => buckets.deleteBucket(disk, name)),

    stage: (chunks) => using((disk) => stage(disk, chunks)),
    stageCopy: (source, range) => using((disk) => copyOf(disk, ours(source), range)),

    putObject: (bucket, key, blob, init, preconditions) =>
      using((disk) => objects.putObject(disk, { bucket, key }, staged(blob), init, preconditions)),
    headObject: (bucket, key, versionId) =>
      using((disk) => objects.headObject(disk, { bucket, key }, versionId)),
    openObject: (bucket, key, versionId) =>
      using((disk) => objects.openObject(disk, { bucket, key }, versionId)),
    updateObject: (bucket, key, versionId, change) =>
      using((disk) => objects.updateObject(disk, { bucket, key }, versionId, change)),
    deleteObject: (bucket, key, versionId, preconditions) =>
      using((disk) => objects.deleteObject(disk, { bucket, key }, versionId, preconditions)),

    listObjects: (bucket, query) =>
      listing(bucket, (disk) => lists.listObjects(disk, bucket, query)),
    listVersions: (bucket, query) =>
      listing(bucket, (disk) => lists.listVersions(disk, bucket, query)),

    createUpload: (bucket, key, init) =>
      using((disk) => uploads.createUpload(disk, { bucket, key }, init)),
    getUpload: (bucket, key, uploadId) =>
      using((disk) => uploads.getUpload(disk, { bucket, key }, uploadId)),
    putPart: (bucket, key, uploadId, blob, part) =>
      using((disk) => uploads.putPart(disk, { bucket, key }, uploadId, staged(blob), part)),
    listParts: (bucket, key, uploadId) =>
      using((disk) => uploads.listParts(disk, { bucket, key }, uploadId)),
    listUploads: (bucket, prefix) => using((disk) => uploads.listUploads(disk, bucket, prefix)),
    completeUpload: (bucket, key, uploadId, parts, result, preconditions) =>
      using((disk) =>
        uploads.completeUpload(disk, { bucket, key }, uploadId, parts, result, preconditions),
      ),
    abortUpload: (bucket, key, uploadId) =>
      using((disk) => uploads.abortUpload(disk, { bucket, key }, uploadId)),
  };
}

/** A caller hands back only blobs that this backend gave it. */
function staged(blob: StagedBlob): DiskBlob {
  return blob as DiskBlob;
}

function ours(blob: OpenBlob): DiskOpenBlob {
  return blob as DiskOpenBlob;
}
