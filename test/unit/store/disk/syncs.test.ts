/** Everything is synced before a write is acknowledged, with few syncs. */
import type { PathLike } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { freshDisk, put } from "./support.js";

/** The calls that reached the disk, in order: changes of names, and syncs of files and directories. */
const log = vi.hoisted(() => {
  const open = new Map<number, string>();
  return { open, moment: 0, changed: new Map<string, number>(), syncs: [] as Sync[] };
});
interface Sync {
  readonly path: string;
  readonly began: number;
  ended: number;
}

const synced = vi.hoisted(() => async (path: string, work: () => Promise<void>): Promise<void> => {
  const sync = { path, began: (log.moment += 1), ended: Infinity };
  log.syncs.push(sync);
  await work();
  sync.ended = log.moment += 1;
});

const changed = vi.hoisted(() => (_: unknown, ...paths: string[]): void => {
  for (const path of paths) log.changed.set(path, (log.moment += 1));
});

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const { callbackify, promisify } = await import("node:util");
  const syncing = (call: typeof real.fsync): unknown =>
    callbackify((file: number) => synced(log.open.get(file) ?? "", () => promisify(call)(file)));
  return {
    ...real,
    openSync: (path: PathLike, ...rest: [string]): number => {
      const file = real.openSync(path, ...rest);
      log.open.set(file, String(path));
      return file;
    },
    renameSync: (from: string, to: string): void => changed(real.renameSync(from, to), from, to),
    fsync: syncing(real.fsync),
    fdatasync: syncing(real.fdatasync),
  };
});
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const open = async (...args: Parameters<typeof real.open>): Promise<unknown> => {
    const file = await real.open(...args);
    const datasync = file.datasync.bind(file);
    return Object.defineProperty(file, "datasync", {
      value: () => synced(String(args[0]), datasync),
    });
  };
  const rename = async (from: string, to: string): Promise<void> =>
    changed(await real.rename(from, to), from, to);
  return { ...real, open, rename };
});

const keys = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${"abc"[index % 3]}/${index}`);

describe("a write", () => {
  it("of any kind is acknowledged after its directory was synced, by any process", async () => {
    const { disk, directory } = await freshDisk();
    const record = (key: string): string =>
      join(directory, "buckets/b+/objects", `${key.replace("/", "+/")}=`);
    const check = async (key: string, work: Promise<unknown>): Promise<void> => {
      await work;
      const answered = log.moment;
      const path = record(key);
      const answers = ({ path: of, began, ended }: Sync): boolean =>
        of === dirname(path) && began > log.changed.get(path)! && ended <= answered;
      expect(log.syncs.some(answers), key).toBe(true);
    };
    await Promise.all(keys(90).map((key) => check(key, put(disk, key, key))));
    log.syncs.length = 0;
    log.changed.clear();
    await Promise.all(
      keys(90).map((key, index) =>
        check(key, index % 4 === 0 ? put(disk, key, "new") : disk.deleteObject("b", key)),
      ),
    );
  });

  it("that removes shares its sync with all others that are ready", async () => {
    const { disk } = await freshDisk();
    await Promise.all(keys(90).map((key) => put(disk, key, key)));
    log.syncs.length = 0;
    await Promise.all(keys(90).map((key) => disk.deleteObject("b", key)));
    // Three directories; in each, the first removals share one sync and later ones another.
    expect(log.syncs.length).toBeLessThanOrEqual(9);
  });

  it("of 300 KB takes at most six syncs, and of a small object three", async () => {
    const { disk, directory } = await freshDisk();
    await put(disk, "first", "makes the catalog");
    for (const [size, most] of [[300_000, 6] as const, [4096, 3] as const]) {
      log.syncs.length = 0;
      await put(disk, `of ${size}`, Buffer.alloc(size));
      // The directory in which the first of each 256 blobs makes a directory is not counted.
      const each = log.syncs.filter(({ path }) => path !== join(directory, "blobs"));
      expect(each.length).toBeLessThanOrEqual(most);
    }
  });
});
