import { createHash } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  checksumLength,
  combineCrc,
  createChecksum,
  createMd5,
  isCrc,
} from "../../../src/protocol/checksum.js";

function digest(algorithm: ChecksumAlgorithm, ...chunks: Uint8Array[]): Buffer {
  const checksum = createChecksum(algorithm);
  for (const chunk of chunks) checksum.update(chunk);
  return checksum.digest();
}

const CHECK = Buffer.from("123456789");

describe("createChecksum", () => {
  it.each([
    ["CRC32", "cbf43926"],
    ["CRC32C", "e3069283"],
    ["CRC64NVME", "ae8b14860a799888"],
    ["SHA1", createHash("sha1").update(CHECK).digest("hex")],
    ["SHA256", createHash("sha256").update(CHECK).digest("hex")],
  ] as const)("gives the published check value of %s", (algorithm, expected) => {
    expect(digest(algorithm, CHECK).toString("hex")).toBe(expected);
  });

  it.each([
    ["CRC32", "AAAAAA=="],
    ["CRC32C", "AAAAAA=="],
    ["CRC64NVME", "AAAAAAAAAAA="],
  ] as const)("gives zero for the empty input of %s", (algorithm, expected) => {
    expect(digest(algorithm).toString("base64")).toBe(expected);
  });

  it("gives the CRC32C values of RFC 3720 B.4", () => {
    expect(digest("CRC32C", Buffer.alloc(32)).toString("hex")).toBe("8a9136aa");
    expect(digest("CRC32C", Buffer.alloc(32, 0xff)).toString("hex")).toBe("62a8ab43");
    expect(
      digest(
        "CRC32C",
        Uint8Array.from({ length: 32 }, (_, i) => i),
      ).toString("hex"),
    ).toBe("46dd794e");
  });

  it("gives the same digest however the input is cut, past the size of the WebAssembly buffer", () => {
    const input = Buffer.alloc(200_003, "the quick brown fox");
    for (const algorithm of CHECKSUM_ALGORITHMS) {
      const whole = digest(algorithm, input);
      expect(whole).toHaveLength(checksumLength(algorithm));
      fc.assert(
        fc.property(fc.nat(input.length), (at) => {
          expect(digest(algorithm, input.subarray(0, at), input.subarray(at))).toEqual(whole);
        }),
        { numRuns: 20 },
      );
    }
  });

  it("keeps two running checksums of one algorithm apart", () => {
    const a = createChecksum("CRC64NVME");
    const b = createChecksum("CRC64NVME");
    a.update(CHECK.subarray(0, 4));
    b.update(CHECK);
    a.update(CHECK.subarray(4));
    expect(a.digest()).toEqual(b.digest());
  });
});

describe("createMd5", () => {
  it("gives the MD5 of RFC 1321", () => {
    const md5 = createMd5();
    md5.update(Buffer.from("abc"));
    expect(md5.digest().toString("hex")).toBe("900150983cd24fb0d6963f7d28e17f72");
  });
});

describe("combineCrc", () => {
  it.each(CHECKSUM_ALGORITHMS.filter(isCrc))("gives the %s of the whole from its pieces", (crc) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (a, b) => {
        const combined = combineCrc(crc, digest(crc, a), digest(crc, b), b.length);
        expect(combined).toEqual(digest(crc, a, b));
      }),
    );
  });

  it("combines across lengths past 32 bits", () => {
    // Appending 2^33 zero bytes twice is appending 2^34 of them.
    const zeros = (length: number): Buffer => {
      let crc = digest("CRC64NVME", Buffer.alloc(1));
      for (let size = 1; size < length; size *= 2) crc = combineCrc("CRC64NVME", crc, crc, size);
      return crc;
    };
    const half = zeros(2 ** 33);
    const first = digest("CRC64NVME", CHECK);
    const twice = combineCrc(
      "CRC64NVME",
      combineCrc("CRC64NVME", first, half, 2 ** 33),
      half,
      2 ** 33,
    );
    expect(combineCrc("CRC64NVME", first, zeros(2 ** 34), 2 ** 34)).toEqual(twice);
  });
});
