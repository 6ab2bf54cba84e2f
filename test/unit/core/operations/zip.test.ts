/** The directory of a zip archive that is whole, cut off or hostile. */
import { describe, expect, it } from "vitest";

import { zipDirectory } from "../../../../src/core/operations/zip.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";

const { signal } = new AbortController();

/** Two entries, written by Python's zipfile with its limits lowered, so that every number is wide. */
const WIDE = Buffer.from(
  "UEsDBC0AAAAAAOQhdl2GphA2//////////8FABQAYS50eHQBABAABQAAAAAAAAAFAAAAAAAAAGhlbGxvUEsDBC0AAAAIAOQhdl3myUE7//////////8JABQAZGlyL2IudHh0AQAQAOgDAAAAAAAACwAAAAAAAACrqBgFo2AUDHcAAFBLAQItAy0AAAAAAOQhdl2GphA2//////////8FABQAAAAAAAAAAACAAQAAAABhLnR4dAEAEAAFAAAAAAAAAAUAAAAAAAAAUEsBAi0DLQAAAAgA5CF2XebJQTv//////////wkAHAAAAAAAAAAAAIAB/////2Rpci9iLnR4dAEAGADoAwAAAAAAAAsAAAAAAAAAPAAAAAAAAABQSwYGLAAAAAAAAAAtAC0AAAAAAAAAAAACAAAAAAAAAAIAAAAAAAAAmgAAAAAAAACCAAAAAAAAAFBLBgcAAAAAHAEAAAAAAAABAAAAUEsFBgAAAAACAAIAmgAAAIIAAAAAAA==",
  "base64",
);

function entry(name: string, size: number, extra = 0): Buffer {
  const text = Buffer.from(name);
  const head = Buffer.alloc(46 + text.length + extra);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt32LE(size, 24);
  head.writeUInt16LE(text.length, 28);
  head.writeUInt16LE(extra, 30);
  text.copy(head, 46);
  return head;
}

/** An archive: some bytes of files, the directory, its end and a comment. */
function archive(entries: readonly Buffer[], { start = 100, comment = "", count = -1 } = {}) {
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count < 0 ? entries.length : count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([Buffer.alloc(100), directory, end, Buffer.from(comment)]);
}

function read(bytes: Buffer) {
  const asked: unknown[] = [];
  const storage = {
    read: async (_key: string, options: { range: { start: number; end: number } }) => {
      asked.push(options);
      const { start, end } = options.range;
      return { body: [bytes.subarray(start, end + 1)] };
    },
  } as unknown as BucketStorage;
  const info = { type: "object", key: "a.zip", size: bytes.length, etag: "e", checksums: {} };
  return { found: zipDirectory(storage, info as never, signal), asked };
}

describe("an archive's directory", () => {
  it("is read by ranges of one version of the object, whatever follows it", async () => {
    const bytes = archive([entry("a/b.txt", 10, 8), entry("ü", 2)], { comment: "hello" });
    const { found, asked } = read(bytes);
    expect(await found).toEqual({
      count: 2,
      entries: [
        { name: "a/b.txt", size: 10 },
        { name: "ü", size: 2 },
      ],
    });
    expect(asked).toHaveLength(2);
    for (const options of asked) expect(options).toMatchObject({ ifMatch: "e" });
  });

  it("may be empty", async () => {
    expect(await read(archive([])).found).toEqual({ count: 0, entries: [] });
  });

  it("is not trusted beyond the bytes that are there", async () => {
    const lying = entry("long", 1);
    lying.writeUInt16LE(60_000, 28);
    const { found } = read(archive([entry("ok", 1), lying], { count: 9 }));
    expect((await found).entries).toEqual([{ name: "ok", size: 1 }]);
  });

  it("is refused where it is missing", async () => {
    const cases = [
      Buffer.from("short"),
      Buffer.alloc(500, "x"),
      archive([], { start: 0xffffffff }),
      archive([entry("a", 1)], { start: 400 }),
    ];
    for (const bytes of cases) {
      await expect(read(bytes).found).rejects.toMatchObject({ code: "BadArchive" });
    }
  });

  it("may have 64-bit numbers in a large archive", async () => {
    expect(await read(WIDE).found).toEqual({
      count: 2,
      entries: [
        { name: "a.txt", size: 5 },
        { name: "dir/b.txt", size: 1000 },
      ],
    });
  });

  it("is read or refused with BadArchive, wherever a byte is damaged or the rest is missing", async () => {
    for (let at = 0; at < WIDE.length; at += 1) {
      for (const byte of [0, 0x7f, 0xff]) {
        const damaged = Buffer.from(WIDE);
        damaged[at] = byte;
        const outcome = await read(damaged).found.catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "BadArchive" });
      }
      const { found } = read(WIDE.subarray(0, at));
      await expect(found).rejects.toMatchObject({ code: "BadArchive" });
    }
  });
});
