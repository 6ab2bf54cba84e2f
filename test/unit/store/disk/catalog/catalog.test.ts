/** The catalog compared with the records: after any events, a listing is what the tree holds. */
import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { cp, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Backend } from "../../../../../src/store/disk/index.js";
import { readState } from "../../../../../src/store/disk/catalog/state.js";
import { foldJournals, tidy, worthMerging } from "../../../../../src/store/disk/catalog/upkeep.js";
import type { Directory } from "../../../../../src/store/disk/directory.js";
import { openDirectory } from "../../../../../src/store/disk/directory.js";
import { openDisk } from "../../../../../src/store/disk/index.js";
import { sweep } from "../../../../../src/store/disk/sweep.js";
import { STEP, dieAt, meanwhileAt } from "../faults.js";
import { bury, freshDirectory, freshDisk, put } from "../support.js";
import { cases } from "../../../../support/cases.js";

vi.mock("node:fs", async (original) =>
  (await import("../faults.js")).faultyCalls(await original()),
);
vi.mock("node:fs/promises", async (original) =>
  (await import("../faults.js")).faultyFileSystem(await original()),
);

async function listed(disk: Backend, prefix = ""): Promise<string[]> {
  const page = await disk.listObjects("b", { prefix, delimiter: "", limit: 1000 });
  return page.entries.map(({ key }) => key);
}

const namesIn = (directory: string): string[] => readdirSync(join(directory, "buckets/b+/names"));
const runs = (directory: string): number =>
  namesIn(directory).filter((name) => name.startsWith("run-")).length;

/** Every journal of one name or more becomes a run. */
async function fold(directory: string): Promise<Directory> {
  const other = await openDirectory(directory);
  await foldJournals(other, "b", 1);
  return other;
}

describe("the catalog of a bucket", () => {
  it("lists what the tree holds, whatever several processes write, remove, fold and merge", async () => {
    const keys = ["a", "a/b", "a/c", "b", "b;", "%3b", "c\n", "d/e/f", "x".repeat(200), "é"];
    const step = fc.record({
      who: fc.nat(1),
      what: fc.constantFrom("put", "put", "put", "delete", "delete", "fold", "tidy"),
      key: fc.constantFrom(...keys),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { disk, directory } = await freshDisk();
        const disks = [disk, openDisk(directory)];
        const model = new Set<string>();
        for (const { who, what, key } of steps) {
          if (what === "put") await put(disks[who]!, key, key).then(() => model.add(key));
          else if (what === "delete") {
            await disks[who]!.deleteObject("b", key).then(() => model.delete(key));
          } else if (what === "fold") await fold(directory);
          else await tidy(await fold(directory), "b");
        }
        for (const each of disks) {
          const order = (a: string, b: string): number =>
            Buffer.compare(Buffer.from(a), Buffer.from(b));
          expect(await listed(each)).toEqual([...model].sort(order));
        }
      }),
      cases(25),
    );
  });

  it("keeps a name whose journal is folded by another process between any two calls", async () => {
    for (let call = 0; ; call += STEP) {
      const { disk, directory } = await freshDisk();
      await put(disk, "first", "x");
      const { happened } = await meanwhileAt(
        call,
        () => fold(directory),
        () => put(disk, "second", "x"),
      );
      await tidy(await fold(directory), "b");
      expect(await listed(openDisk(directory))).toEqual(["first", "second"]);
      if (!happened) break;
    }
  });

  it("keeps a name when the bucket is removed and made again between any two calls", async () => {
    for (let call = 0; ; call += STEP) {
      const { disk, directory } = await freshDisk();
      const other = openDisk(directory);
      // A catalog is there, so that the bucket's lock is free to be had at each call.
      expect(await listed(disk)).toEqual([]);
      const { happened } = await meanwhileAt(
        call,
        async () => {
          await other.deleteBucket("b").catch(() => undefined);
          await other.createBucket("b", "us-east-1").catch(() => undefined);
        },
        () => put(disk, "k", "x").catch(() => undefined),
      );
      const found = await disk.headObject("b", "k").then(
        () => ["k"],
        () => [],
      );
      expect(await listed(other)).toEqual(found);
      if (!happened) break;
    }
  });

  const UPKEEP: Record<string, (directory: string) => Promise<unknown>> = {
    folding: (directory) => fold(directory),
    merging: async (directory) => tidy(await openDirectory(directory), "b"),
    making: (directory) => listed(openDisk(directory)),
  };
  for (const [title, work] of Object.entries(UPKEEP)) {
    it(`lacks no name after a process died ${title} it, at any call`, async () => {
      const { disk, directory } = await freshDisk();
      const keys = ["a/b"];
      await put(disk, "a/b", "x");
      const add = async (): Promise<void> => {
        keys.push(`k${String(keys.length).padStart(3, "0")}`);
        await put(disk, keys.at(-1)!, "x");
      };
      await put(disk, "gone", "x");
      await disk.deleteObject("b", "gone");
      for (let call = 0; ; call += STEP) {
        await add();
        const wanted = title === "merging" ? 4 : 0;
        while (runs(directory) < wanted) {
          await add();
          await fold(directory);
        }
        if (title === "making") rmSync(join(directory, "buckets/b+/names/state.json"));
        const died = await dieAt(call, () => work(directory));
        await bury(directory);
        expect(await listed(openDisk(directory)), `after ${call} calls`).toEqual(keys);
        await sweep(await openDirectory(directory));
        if (!died) break;
      }
      await tidy(await fold(directory), "b");
      expect(await listed(disk)).toEqual(keys);
    });
  }

  it("is rebuilt where its files are lost, cut short or from elsewhere", async () => {
    const { disk, directory } = await freshDisk();
    const keys = Array.from({ length: 50 }, (_, index) => `k${String(index).padStart(2, "0")}`);
    for (const key of keys) await put(disk, key, "x");
    const names = join(directory, "buckets/b+/names");
    const losses: (() => unknown)[] = [
      () => rmSync(names, { recursive: true }),
      () => truncateSync(join(names, "state.json"), 10),
      () => writeFileSync(join(names, "state.json"), "null"),
      () => {
        for (const name of namesIn(directory)) {
          if (name !== "state.json") rmSync(join(names, name));
        }
      },
    ];
    for (const lose of losses) {
      lose();
      expect(await listed(disk)).toEqual(keys);
      lose();
      await put(disk, "k00", "again");
      await put(disk, "l", "x");
      expect(await listed(disk)).toEqual([...keys, "l"]);
      await disk.deleteObject("b", "l");
    }
    const copy = await freshDirectory();
    await cp(directory, copy, { recursive: true });
    // Restored from a time before the catalog knew them.
    await writeFile(
      join(copy, "buckets/b+/objects/z="),
      await readFile(join(copy, "buckets/b+/objects/k01=")),
    );
    await rename(join(copy, "buckets/b+/objects/k02="), join(copy, "buckets/b+/objects/y="));
    expect(await listed(openDisk(copy))).toEqual([
      ...keys.filter((key) => key !== "k02"),
      "y",
      "z",
    ]);
  });

  it("ignores a line that a full disk cut short", async () => {
    const { disk, directory } = await freshDisk();
    await put(disk, "a", "x");
    await put(disk, "b", "x");
    const [journal] = namesIn(directory).filter((name) => name.startsWith("journal-"));
    await writeFile(join(directory, "buckets/b+/names", journal!), "\n-b", { flag: "a" });
    expect(await listed(disk)).toEqual(["a", "b"]);
    await put(disk, "c", "x");
    expect(await listed(disk)).toEqual(["a", "b", "c"]);
  });

  it("is merged as it grows, and forgets removed names", async () => {
    const { disk, directory } = await freshDisk();
    const tidied = await openDirectory(directory);
    for (let round = 0; round < 9; round += 1) {
      await put(disk, `k${round}`, "x");
      await fold(directory);
    }
    expect(runs(directory)).toBe(9);
    await tidy(tidied, "b");
    expect(runs(directory)).toBe(1);
    for (let round = 0; round < 9; round += 1) await disk.deleteObject("b", `k${round}`);
    await tidy(await fold(directory), "b");
    expect([runs(directory), readState(tidied, "b")?.runs]).toEqual([0, []]);
    expect(await listed(disk)).toEqual([]);
  });
});

describe("runs", () => {
  const run = (size: number, gone = 0) => ({ size, lines: size, gone });
  it("of similar size are merged, and all of them when many names are gone", () => {
    expect(worthMerging([])).toBe(0);
    expect(worthMerging([10, 10, 10].map((size) => run(size)))).toBe(0);
    expect(worthMerging([10, 10, 10, 10].map((size) => run(size)))).toBe(4);
    expect(worthMerging([10, 10, 10, 10, 40].map((size) => run(size)))).toBe(4);
    expect(worthMerging([run(10, 10), run(100)])).toBe(0);
    expect(worthMerging([run(20, 20), run(100)])).toBe(2);
  });

  it("stay few however many keys are written", () => {
    let all: { size: number; lines: number; gone: number }[] = [];
    let rewritten = 0;
    for (let fold = 0; fold < 10_000; fold += 1) {
      all = [run(1), ...all];
      for (let count = worthMerging(all); count > 0; count = worthMerging(all)) {
        const size = all.slice(0, count).reduce((sum, each) => sum + each.size, 0);
        rewritten += size;
        all = [run(size), ...all.slice(count)];
      }
      expect(all.length).toBeLessThan(24);
    }
    expect(rewritten / 10_000).toBeLessThan(10);
  });
});
