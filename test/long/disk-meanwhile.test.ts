/** A reader whose object is replaced or deleted by another process between any two of its calls. */
import { describe, expect, it, vi } from "vitest";
import type { Backend } from "../../src/store/disk/index.js";
import { openDisk } from "../../src/store/disk/index.js";
import { meanwhileAt } from "../unit/store/disk/faults.js";
import {
  LARGE,
  OTHER,
  SMALL,
  clear,
  complete,
  has,
  leftIn,
  same,
  upload,
} from "../unit/store/disk/scenarios.js";
import { freshDisk, read } from "../unit/store/disk/support.js";

vi.mock("node:fs", async (original) =>
  (await import("../unit/store/disk/faults.js")).faultyCalls(await original()),
);
vi.mock("node:fs/promises", async (original) =>
  (await import("../unit/store/disk/faults.js")).faultyFileSystem(await original()),
);

describe("an object replaced by another process at any call of a reader", () => {
  const parted = async (disk: Backend): Promise<void> => complete(disk, await upload(disk));
  const PARTED = Buffer.concat([LARGE, OTHER]);
  const WRITERS: Readonly<
    Record<string, [Buffer | undefined, (disk: Backend) => Promise<unknown>]>
  > = {
    small: [SMALL, has(SMALL)],
    large: [OTHER, has(OTHER)],
    "of parts": [PARTED, parted],
    deleted: [undefined, (disk) => disk.deleteObject("b", "deep/k")],
  };
  for (const [title, [before, write]] of Object.entries(WRITERS)) {
    if (before === undefined) continue;
    it(`is read whole, the old one (${title}) or the new one`, async () => {
      for (const [after, replace] of Object.values(WRITERS)) {
        const { disk, directory } = await freshDisk();
        const other = openDisk(directory);
        for (let call = 0; ; call += 1) {
          await write(disk);
          const { happened, result } = await meanwhileAt(
            call,
            () => replace(other),
            () => bodyOrNothing(disk),
          );
          expect(same(result, before) || (happened && same(result, after))).toBe(true);
          await clear(disk);
          await expect.poll(() => leftIn(directory)).toEqual([]);
          if (!happened) break;
        }
      }
    });
  }
});

async function bodyOrNothing(disk: Backend): Promise<Buffer | undefined> {
  const found = await disk.headObject("b", "deep/k").catch((error: Error) => error);
  const listed = await disk.listObjects("b", { prefix: "", delimiter: "/", limit: 10 });
  expect(listed.entries).toEqual([]);
  try {
    return await read(disk, "deep/k");
  } catch (error) {
    expect(error).toMatchObject({ code: "NoSuchKey" });
    return undefined;
  } finally {
    if (found instanceof Error) expect(found).toMatchObject({ code: "NoSuchKey" });
  }
}
