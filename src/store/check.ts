/**
 * Reads every object again and compares it with its record. Nothing else finds bytes that a disk
 * has changed, because a service only checks what comes in.
 */
import { checksumOf, createChecksum } from "../protocol/checksum.js";
import type { ListPage, ObjectRecord } from "./records.js";
import type { Backend } from "./disk/index.js";
import type { OpenBlob } from "./disk/reader.js";
import { StoreError } from "./errors.js";
import { sealedSize } from "./sealing/stream.js";

export type Fault =
  /** The record of the key cannot be read. */
  | "record damaged"
  /** There are no bytes, or fewer than there should be. */
  | "bytes missing"
  /** The bytes are not those that were stored. */
  | "bytes changed";

export interface Checked {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string;
  readonly size: number;
  /** Absent: all is well. */
  readonly fault?: Fault | undefined;
  /** Whether the faulty version was removed; absent unless a repair was asked for. */
  readonly repaired?: boolean | undefined;
}

export interface CheckOptions {
  /** One bucket instead of all. */
  readonly bucket?: string | undefined;
  /**
   * Removes what cannot be read at all: a damaged record, which is kept aside, and a version whose
   * bytes are gone. An object whose bytes have changed is left: somebody may have use for it.
   */
  readonly repair?: boolean | undefined;
}

/** Checks every version of every object, one after the other, in the order of listings. */
export async function* check(
  backend: Backend,
  { bucket, repair = false }: CheckOptions = {},
): AsyncGenerator<Checked> {
  const buckets =
    bucket === undefined ? await backend.listBuckets() : [await backend.getBucket(bucket)];
  for (const { name } of buckets) {
    let after: ListPage<ObjectRecord>["next"];
    do {
      const page = await backend.listVersions(name, {
        prefix: "",
        delimiter: "",
        limit: 1000,
        after,
      });
      for (const record of page.entries) {
        if (record.deleteMarker) continue;
        const { key, versionId, size } = record;
        const fault = await faultOf(backend, name, record);
        const repaired =
          repair && fault !== undefined && (await remove(backend, name, record, fault));
        yield { bucket: name, key, versionId, size, fault, ...(repair && { repaired }) };
      }
      after = page.next;
    } while (after !== undefined);
  }
}

async function faultOf(
  backend: Backend,
  bucket: string,
  record: ObjectRecord,
): Promise<Fault | undefined> {
  if (record.damaged === true) return "record damaged";
  let opened: OpenBlob;
  try {
    opened = await backend.openObject(bucket, record.key, record.versionId);
  } catch (error) {
    // Removed since it was listed.
    if (error instanceof StoreError && error.status === 404) return undefined;
    if (error instanceof StoreError && error.code === "InternalError") return "bytes missing";
    throw error;
  }
  try {
    return (await isWhole(opened)) ? undefined : "bytes changed";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "InternalError") return "bytes missing";
    throw error;
  } finally {
    await opened.close();
  }
}

/** Whether the bytes agree with the checksum, of the object or of each part, and with the ETag. */
async function isWhole(opened: OpenBlob): Promise<boolean> {
  const { checksum, etag, size, parts } = storedAs(opened.record);
  const pieces =
    checksum?.type === "COMPOSITE" || /-\d+$/.test(etag)
      ? parts
      : [{ size, checksum, etag: /^[\da-f]{32}$/.test(etag) ? etag : undefined }];
  // A copy of a multipart object that has no parts has a checksum of its own.
  const wanted = pieces ?? [{ size, checksum, etag: undefined }];
  let index = 0;
  let left = wanted[0]?.size ?? 0;
  const start = (at: number) => {
    const algorithm = wanted[at]?.checksum?.algorithm;
    return { md5: createChecksum("MD5"), sum: algorithm && createChecksum(algorithm) };
  };
  let running = start(0);
  const agrees = (): boolean => {
    const { md5, sum } = running;
    const { etag: expected, checksum: stored } = wanted[index]!;
    const sameSum = sum === undefined || sum.digest().toString("base64") === stored!.value;
    return sameSum && (expected === undefined || md5.digest().toString("hex") === expected);
  };
  for await (const chunk of size > 0 ? opened.read(0, size - 1) : []) {
    let rest = chunk;
    while (rest.length > 0) {
      const taken = rest.subarray(0, left);
      running.md5.update(taken);
      running.sum?.update(taken);
      left -= taken.length;
      rest = rest.subarray(taken.length);
      if (left > 0) break;
      do {
        if (!agrees()) return false;
        index += 1;
        if (index === wanted.length) return rest.length === 0;
        running = start(index);
        left = wanted[index]!.size;
      } while (left === 0);
    }
  }
  if (size > 0) return false;
  const algorithm = checksum?.algorithm;
  return algorithm === undefined || checksum?.type === "COMPOSITE"
    ? true
    : checksumOf(algorithm, new Uint8Array()).toString("base64") === checksum!.value;
}

/** The record as its stored bytes can prove it: for sealed ones, only sizes and ETags. */
function storedAs(record: ObjectRecord): ObjectRecord {
  if (record.sealing === undefined) return record;
  const parts = record.parts?.map((part) => ({
    ...part,
    size: sealedSize(part.size),
    checksum: undefined,
  }));
  const size = parts?.reduce((sum, part) => sum + part.size, 0) ?? sealedSize(record.size);
  return { ...record, size, parts, checksum: undefined };
}

/** Removes a version; false when it has changed since it was seen, or is worth keeping. */
async function remove(
  backend: Backend,
  bucket: string,
  record: ObjectRecord,
  fault: Fault,
): Promise<boolean> {
  if (fault === "bytes changed") return false;
  try {
    // A record that stands for all versions can only go as one.
    await backend.deleteObject(bucket, record.key, record.versionId, { ifStill: record });
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.status < 500) return false;
    throw error;
  }
}
