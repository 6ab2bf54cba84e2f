/**
 * Versions beside the record: the state after a change is cut off at any call, and what readers
 * see.
 */
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Backend } from "../../../../src/store/disk/index.js";
import { openDirectory } from "../../../../src/store/disk/directory.js";
import { openDisk } from "../../../../src/store/disk/index.js";
import { sweep } from "../../../../src/store/disk/sweep.js";
import { STEP, dieAt, meanwhileAt } from "./faults.js";
import { leftIn } from "./scenarios.js";
import { bury, freshDisk, put, readText } from "./support.js";

vi.mock("node:fs", async (original) => (await import("./faults.js")).faultyCalls(await original()));
vi.mock("node:fs/promises", async (original) =>
  (await import("./faults.js")).faultyFileSystem(await original()),
);

const LARGE = "large ".repeat(20_000);
const EVERYTHING = { prefix: "", delimiter: "", limit: 1000 };

/** The bodies of all versions, newest first, each read by its id; a marker is "-". */
async function bodies(disk: Backend): Promise<string[]> {
  const { entries } = await disk.listVersions("b", EVERYTHING);
  expect(entries.map(({ isLatest }) => isLatest)).toEqual(entries.map((_, index) => index === 0));
  return Promise.all(
    entries.map(async ({ versionId, deleteMarker }) => {
      if (deleteMarker) return "-";
      const text = await readText(disk, "d/k", versionId);
      return text === LARGE ? "L" : text;
    }),
  );
}

async function remove(disk: Backend, at: number): Promise<void> {
  const { entries } = await disk.listVersions("b", EVERYTHING);
  await disk.deleteObject("b", "d/k", entries[at]!.versionId);
}

const record = "buckets/b+/objects/d+/k=";

/** The record as pail 0.1 wrote it: all versions in it, a line each. */
function asOfOld(directory: string): void {
  const history = join(directory, "buckets/b+/objects/d+/k~");
  const line = (path: string): string => readFileSync(path, "utf8").split("\n")[0]!;
  const older = readdirSync(history).map((name) => line(join(history, name)));
  const sorted = older.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const text = `${[line(join(directory, record)), ...sorted].join("\n")}\n\n`;
  for (const name of readdirSync(history)) writeFileSync(join(history, name), "stale");
  writeFileSync(join(directory, record), text);
}

const orderOf = (line: string): string => (JSON.parse(line) as { order: string }).order;

/** Versions 1, L, marker, 3, newest first 3 - L 1; the last written before versioning was on. */
async function four(disk: Backend): Promise<void> {
  await put(disk, "d/k", "1");
  await disk.updateBucket("b", { versioning: "Enabled" });
  await put(disk, "d/k", LARGE);
  await disk.deleteObject("b", "d/k");
  await put(disk, "d/k", "3");
}

const WORKS: Record<string, [work: (disk: Backend) => Promise<unknown>, after: string[]]> = {
  "putting a version": [(disk) => put(disk, "d/k", LARGE), ["L", "3", "-", "L", "1"]],
  "hiding the key": [(disk) => disk.deleteObject("b", "d/k"), ["-", "3", "-", "L", "1"]],
  "removing the latest": [(disk) => remove(disk, 0), ["-", "L", "1"]],
  "removing an older one": [(disk) => remove(disk, 2), ["3", "-", "1"]],
  "replacing the null version": [
    async (disk) => {
      await disk.updateBucket("b", { versioning: "Suspended" });
      await put(disk, "d/k", "n");
    },
    ["n", "3", "-", "L"],
  ],
};

describe("a process killed at any call while it changes versions", () => {
  for (const [title, [work, after]] of Object.entries(WORKS)) {
    it(`by ${title} leaves all the old versions or all the new ones`, async () => {
      for (let call = 0; ; call += STEP) {
        const { disk, directory } = await freshDisk();
        const before = ["3", "-", "L", "1"];
        await four(disk);
        const died = await dieAt(call, () => work(openDisk(directory)));
        await bury(directory);
        const now = openDisk(directory);
        const found = await bodies(now);
        expect([before.join(), after.join()], `after ${call} calls`).toContain(found.join());
        await sweep(await openDirectory(directory));
        expect(await bodies(now)).toEqual(found);
        if (!died) break;
        if (call % 4 !== 0) continue;
        // A version that is removed stays removed, also where a copy of it was left.
        await now.updateBucket("b", { versioning: "Enabled" });
        await remove(now, 0);
        expect(await bodies(now)).toEqual(found.slice(1));
        await put(now, "d/k", "z");
        expect(await bodies(now)).toEqual(["z", ...found.slice(1)]);
        for (let left = found.length; left > 0; left -= 1) await remove(now, 0);
        expect(await bodies(now)).toEqual([]);
        await put(now, "d/k", "y");
        expect(await bodies(now)).toEqual(["y"]);
        await remove(now, 0);
        await expect.poll(() => leftIn(directory)).toEqual([]);
      }
    });
  }
});

describe("versions of a key", () => {
  it("can each be read while they move between the record and its history", async () => {
    for (let call = 0; ; call += STEP) {
      const { disk, directory } = await freshDisk();
      const other = openDisk(directory);
      await four(disk);
      await remove(disk, 1);
      const { entries } = await disk.listVersions("b", EVERYTHING);
      const large = entries[1]!.versionId;
      const { happened } = await meanwhileAt(
        call,
        // L becomes the latest, and a new one takes its place.
        async () => {
          await remove(other, 0);
          await put(other, "d/k", "4");
        },
        async () => expect((await readText(disk, "d/k", large)).length).toBe(LARGE.length),
      );
      if (!happened) break;
    }
  });

  it("do not make the record grow, nor the bytes that one more write takes", async () => {
    const { disk, directory } = await freshDisk("Enabled");
    await put(disk, "d/k", "x");
    const { size } = statSync(join(directory, record));
    for (let count = 0; count < 50; count += 1) await put(disk, "d/k", "x");
    expect(statSync(join(directory, record)).size).toBe(size);
    expect(readdirSync(join(directory, "buckets/b+/objects/d+/k~"))).toHaveLength(50);
    const pages: string[] = [];
    let after: Parameters<Backend["listVersions"]>[1]["after"];
    do {
      const page = await disk.listVersions("b", { ...EVERYTHING, limit: 7, after });
      pages.push(...page.entries.map(({ versionId }) => versionId));
      after = page.next;
    } while (after !== undefined);
    expect(pages).toEqual([...new Set(pages)].sort());
    expect(pages).toHaveLength(51);
  });

  it("of a record by pail 0.1 are all there, and stay when any change is cut off", async () => {
    for (const [work, after] of Object.values(WORKS)) {
      for (let call = 0; ; call += STEP) {
        const { disk, directory } = await freshDisk();
        await four(disk);
        asOfOld(directory);
        // The bytes of the null version were behind the lines; here it has none.
        const versions = async (of: Backend): Promise<number> =>
          (await of.listVersions("b", EVERYTHING)).entries.length;
        expect(await versions(disk)).toBe(4);
        const died = await dieAt(call, () => work(openDisk(directory)));
        await bury(directory);
        expect([4, after.length]).toContain(await versions(openDisk(directory)));
        if (!died) break;
      }
    }
  });

  it("are found only by their own ids", async () => {
    const { disk, directory } = await freshDisk();
    await four(disk);
    mkdirSync(join(directory, "buckets/b+/objects/d+/k~/x"));
    for (const id of ["../k=", "..", "x", "", "%2e", "0".repeat(32), "f".repeat(32)]) {
      const refused = { code: "NoSuchVersion" };
      await expect(disk.headObject("b", "d/k", id)).rejects.toMatchObject(refused);
    }
  });
});
