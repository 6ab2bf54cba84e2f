/** ETags as evidence of content: MD5s, and MD5s of the parts' MD5s. */
import { createMd5 } from "../../protocol/checksum.js";
import { DEFAULT_PART_SIZE, MAX_PARTS, MIB, MIN_PART_SIZE } from "../transfer/sizes.js";

const MD5 = /^[0-9a-f]{32}$/;
const MULTIPART = /^[0-9a-f]{32}-(\d{1,5})$/;

/** Whether an ETag may be the MD5 of the whole object. */
export function isMd5(etag: string | undefined): etag is string {
  return etag !== undefined && MD5.test(etag);
}

/** How many parts an ETag says its object was made of; undefined for any other ETag. */
export function partsOf(etag: string | undefined): number | undefined {
  const count = Number(MULTIPART.exec(etag ?? "")?.[1] ?? 0);
  return count >= 1 && count <= MAX_PARTS ? count : undefined;
}

/** Whether an ETag follows from the content (and the parts), so that equal ones mean equal bytes. */
export function tellsContent(etag: string | undefined): etag is string {
  return isMd5(etag) || partsOf(etag) !== undefined;
}

/** Part sizes that clients are known to use: 5 to 5,120 MiB, and the round decimal ones. */
const USUAL = [
  ...[8, 5, 16, 10, 15, 25, 32, 50, 64, 100, 128, 200, 256, 512, 1024, 2048, 5120].map(
    (size) => size * MIB,
  ),
  ...[5, 8, 10, 16, 50, 64, 100].map((size) => size * 1_000_000),
];
/** Sizes tried at most: each costs an MD5 of the whole file. */
const MOST_SIZES = 4;

/**
 * The part sizes in bytes by which an object of `size` has so many parts, the likely ones first:
 * those clients use, then whole MiB. At most four.
 */
export function partSizesFor(size: number, parts: number): number[] {
  if (parts === 1) return [Math.max(size, DEFAULT_PART_SIZE)];
  const fits = (partSize: number) =>
    partSize >= MIN_PART_SIZE && Math.ceil(size / partSize) === parts;
  const found = new Set(USUAL.filter(fits));
  // The parts are of even size, but for the last: the smallest size that does, up to whole MiB.
  for (
    let partSize = Math.ceil(size / parts / MIB) * MIB;
    found.size < MOST_SIZES && fits(partSize);
    partSize += MIB
  ) {
    found.add(partSize);
  }
  return [...found].slice(0, MOST_SIZES);
}

/** The MD5 of bytes that pass, and the multipart ETags for part sizes, all in one reading. */
export function startETags(partSizes: readonly number[]) {
  const whole = createMd5();
  const parts = partSizes.map((partSize) => ({
    partSize,
    left: partSize,
    current: createMd5(),
    digests: [] as Buffer[],
  }));
  const plain = partSizes.length === 0;
  return {
    update: (bytes: Uint8Array) => {
      if (plain) whole.update(bytes);
      for (const one of parts) {
        for (let from = 0; from < bytes.length;) {
          const piece = bytes.subarray(from, Math.min(bytes.length, from + one.left));
          one.current.update(piece);
          from += piece.length;
          one.left -= piece.length;
          if (one.left > 0) continue;
          one.digests.push(one.current.digest());
          one.current = createMd5();
          one.left = one.partSize;
        }
      }
    },
    /** The ETags the bytes may have been given: the MD5 without part sizes, one for each with. */
    end: (): string[] => {
      if (plain) return [whole.digest().toString("hex")];
      return parts.map(({ digests, current, left, partSize }) => {
        if (left < partSize || digests.length === 0) digests.push(current.digest());
        const all = createMd5();
        for (const digest of digests) all.update(digest);
        return `${all.digest().toString("hex")}-${digests.length}`;
      });
    },
  };
}
