/** The checksums of S3, incremental, as S3 writes them (base64, big-endian). */
export type ChecksumAlgorithm = "CRC32" | "CRC32C" | "CRC64NVME" | "SHA1" | "SHA256";

export interface Checksum {
  update(chunk: Uint8Array): void;
  /** Raw digest, big-endian; ends the computation. */
  digest(): Buffer;
}
