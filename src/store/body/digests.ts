/** The digests a stored object is known by, computed together in one pass. */
import {
  type Checksum,
  type ChecksumAlgorithm,
  createChecksum,
  createMd5,
} from "../../protocol/checksum.js";

export interface Digests {
  readonly md5: Buffer;
  /** By algorithm, those asked for. */
  readonly checksums: ReadonlyMap<ChecksumAlgorithm, Buffer>;
}

export interface Digesting {
  update(chunk: Uint8Array): void;
  finish(): Digests;
}

/** Starts an MD5 and the given checksums. */
export function createDigests(algorithms: Iterable<ChecksumAlgorithm>): Digesting {
  const md5 = createMd5();
  const checksums = new Map<ChecksumAlgorithm, Checksum>();
  for (const algorithm of algorithms) checksums.set(algorithm, createChecksum(algorithm));
  return {
    update: (chunk) => {
      md5.update(chunk);
      for (const checksum of checksums.values()) checksum.update(chunk);
    },
    finish: () => ({
      md5: md5.digest(),
      checksums: new Map([...checksums].map(([name, checksum]) => [name, checksum.digest()])),
    }),
  };
}

/** Passes chunks on, digesting them on the way. */
export async function* digesting(
  chunks: AsyncIterable<Uint8Array>,
  digests: Digesting,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    digests.update(chunk);
    yield chunk;
  }
}
