/**
 * The disk calls of a listed page and of a write, counted: the same however much the bucket holds.
 */
import { copyFileSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openDisk } from "../../../../src/store/disk/index.js";
import { freshDisk, put } from "./support.js";

const calls = vi.hoisted(() => ({ count: 0, bytes: 0, directories: 0 }));

type Call = (...args: never[]) => unknown;
/** The same module with its calls counted, those that read a directory apart. */
const counting = vi.hoisted(() => (real: Record<string, unknown>): Record<string, unknown> => {
  const counted = { ...real };
  for (const [name, call] of Object.entries(real)) {
    if (typeof call !== "function" || /^(?:[A-Z_]|create|watch)/.test(name)) continue;
    counted[name] = (...args: never[]): unknown => {
      calls.count += 1;
      if (/dir/.test(name) && name.startsWith("read")) calls.directories += 1;
      if (name.startsWith("opendir")) calls.directories += 1;
      const result = (call as Call)(...args);
      if (name === "readSync") calls.bytes += result as number;
      return result;
    };
  }
  return counted;
});
vi.mock("node:fs", async (original) => counting(await original()));
vi.mock("node:fs/promises", async (original) => counting(await original()));

const name = (index: number): string => `k${String(index).padStart(6, "0")}`;

/** Runs work and returns its calls of the disk. */
async function costOf(work: () => Promise<unknown>): Promise<typeof calls> {
  Object.assign(calls, { count: 0, bytes: 0, directories: 0 });
  await work();
  return { ...calls };
}

describe("a page of a listing", () => {
  const PAGE = 100;
  let costs: (typeof calls)[];
  beforeEach(async () => {
    costs = [];
    for (const count of [1_000, 20_000]) {
      const { disk, directory } = await freshDisk();
      await put(disk, "flat/seed", "x");
      const flat = join(directory, "buckets/b+/objects/flat+");
      for (let index = 0; index < count; index += 1) {
        linkSync(join(flat, "seed="), join(flat, `${name(index)}=`));
      }
      // Files put into a store by hand need this.
      rmSync(join(directory, "buckets/b+/names"), { recursive: true });
      const other = openDisk(directory);
      await other.listObjects("b", { prefix: "", delimiter: "", limit: 1 });
      // Some keys are new, and in the journal, by another process.
      for (let index = 0; index < 20; index += 1) await put(disk, `flat/${name(index)}-new`, "x");
      for (const from of [0, 0.5, 0.99]) {
        const after = { key: `flat/${name(Math.floor(from * (count - PAGE)))}` };
        const query = { prefix: "flat/", delimiter: "", limit: PAGE, after };
        const cost = await costOf(async () => {
          expect((await other.listObjects("b", query)).entries).toHaveLength(PAGE);
        });
        costs.push(cost);
      }
    }
  });

  it("reads its records and some blocks of names, and no directory, whatever the bucket holds", () => {
    for (const { count, bytes, directories } of costs) {
      expect(directories).toBe(0);
      // For each record an open, a read and a close; for the names a search.
      expect(count).toBeLessThan(PAGE * 3 + 60);
      expect(bytes).toBeLessThan(500_000);
    }
  });
});

describe("a write of one more version", () => {
  it("makes as many disk calls after one version as after ten thousand", async () => {
    const { disk, directory } = await freshDisk("Enabled");
    await put(disk, "k", "1");
    await put(disk, "k", "2");
    const one = await costOf(() => put(disk, "k", "3"));
    const history = join(directory, "buckets/b+/objects/k~");
    mkdirSync(history, { recursive: true });
    copyFileSync(join(directory, "buckets/b+/objects/k="), join(history, "f".repeat(32)));
    for (let index = 0; index < 10_000; index += 1) {
      linkSync(
        join(history, "f".repeat(32)),
        join(history, `ff${String(index).padStart(30, "0")}`),
      );
    }
    expect(await costOf(() => put(disk, "k", "4"))).toEqual(one);
    const hidden = await costOf(() => disk.deleteObject("b", "k"));
    expect(hidden.directories).toBe(0);
    const { entries } = await disk.listVersions("b", { prefix: "", delimiter: "", limit: 1000 });
    expect(entries).toHaveLength(1000);
  });
});
