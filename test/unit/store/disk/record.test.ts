import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Version } from "../../../../src/store/disk/record.js";
import { readVersions, serialize } from "../../../../src/store/disk/record.js";
import { freshDirectory } from "./support.js";

const version = (id: string, metadata: string): Version => ({
  id,
  order: id,
  size: 3,
  etag: "",
  modified: 0,
  content: { kind: "inline" },
  headers: {},
  metadata: { pad: metadata },
  storageClass: "STANDARD",
  tags: {},
});

describe("the versions of a record", () => {
  it("are read wherever its lines end, whatever the buffer held before", async () => {
    const path = join(await freshDirectory(), "record=");
    const write = (record: Parameters<typeof serialize>[0], most?: number): void => {
      writeFileSync(path, Buffer.concat(serialize(record)).subarray(0, most));
    };
    const bare = Buffer.concat(serialize({ versions: [version("a", "")] })).length;
    const two = Buffer.concat(serialize({ versions: [version("a", ""), version("b", "")] })).length;
    for (const size of [...Array(12).keys()].flatMap((more) => [4090 + more, 8186 + more])) {
      for (const [versions, used] of [
        [["a"], bare],
        [["b", "a"], two],
      ] as const) {
        // An earlier read leaves line ends everywhere in the buffer.
        writeFileSync(path, "\n".repeat(5000));
        readVersions(path, "all");
        const made = versions.map((id, index) =>
          version(id, index === 0 ? "x".repeat(size - used) : ""),
        );
        write({ versions: made, inline: Buffer.from("\n\n!") });
        expect(readVersions(path, "latest")).toEqual(made.slice(0, 1));
        expect(readVersions(path, "all")).toEqual(made);
        // A file that was cut short is not a record.
        write({ versions: made }, size - 1);
        expect(readVersions(path, "all")).toMatchObject([{ content: { kind: "damaged" } }]);
      }
    }
    rmSync(path);
    expect(readVersions(path, "all")).toEqual([]);
  });
});
