/**
 * A process that stops at any one of its file-system calls: the call that is its last never
 * returns, so that nothing after it runs, no `finally` either; then its owner file is made that of
 * a dead process, and another process looks at what is there. And a disk that is full from any one
 * call on.
 */
import type { FileHandle } from "node:fs/promises";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Backend } from "../../../../src/store/backend.js";
import { openDirectory } from "../../../../src/store/disk/directory.js";
import { openDisk } from "../../../../src/store/disk/index.js";
import { sweep } from "../../../../src/store/disk/sweep.js";
import { filesUnder } from "./left-over.js";
import { ABOUT, chunksOf, freshDisk, md5, put, read } from "./support.js";

/** What happens at the call that is `left` calls away: it never returns, or the disk is full. */
const fault = vi.hoisted(() => {
  const state = {
    left: Infinity,
    kind: "death" as "death" | "full",
    reached: () => undefined as void,
  };
  const opened: (() => Promise<void>)[] = [];
  const faulty =
    <A extends unknown[], R>(call: (...args: A) => R, writes: boolean, self?: unknown) =>
    (...args: A): R | Promise<never> => {
      const counts = state.left !== Infinity && (writes || state.kind === "death");
      if (counts) state.left -= 1;
      if (!counts || state.left >= 0) return call.apply(self, args);
      state.reached();
      if (state.kind === "death") return new Promise<never>(() => undefined);
      return Promise.reject(Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" }));
    };
  return { state, opened, faulty };
});

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const fake: Record<string, unknown> = { ...real };
  for (const name of ["link", "mkdir", "rename"])
    fake[name] = fault.faulty(real[name as "link"], true);
  for (const name of ["readFile", "readdir", "rm", "rmdir", "unlink"]) {
    fake[name] = fault.faulty(real[name as "rm"], false);
  }
  const open = async (...args: Parameters<typeof real.open>): Promise<FileHandle> => {
    const file: FileHandle = await real.open(...args);
    fault.opened.push(file.close.bind(file));
    for (const name of ["write", "writev", "datasync", "sync", "close"] as const) {
      const value = fault.faulty(file[name] as () => unknown, name !== "close", file);
      Object.defineProperty(file, name, { value });
    }
    return file;
  };
  const [reading, writing] = [fault.faulty(open, false), fault.faulty(open, true)];
  fake["open"] = (...args: Parameters<typeof open>) =>
    (args[1] === "r" ? reading : writing)(...args);
  return fake;
});

afterEach(async () => {
  fault.state.left = Infinity;
  // What the dead left open; closing twice does no harm.
  await Promise.all(fault.opened.splice(0).map((close) => close()));
});

const SMALL = Buffer.from("small");
const LARGE = Buffer.alloc(150_000, "large ");
const OTHER = Buffer.alloc(100_000, "other ");

interface Scenario {
  /** What is there before. */
  readonly before?: (disk: Backend) => Promise<void>;
  readonly work: (disk: Backend, prepared: string) => Promise<unknown>;
  readonly prepare?: (disk: Backend) => Promise<string>;
  /** The bodies that the key may have afterwards; undefined for no object. */
  readonly outcomes: readonly (Buffer | undefined)[];
}

async function upload(disk: Backend): Promise<string> {
  const { uploadId } = await disk.createUpload("b", "deep/k", ABOUT);
  for (const [index, body] of [LARGE, OTHER].entries()) {
    const blob = await disk.stage(chunksOf(body));
    await disk.putPart("b", "deep/k", uploadId, blob, { number: index + 1, etag: md5(body) });
  }
  return uploadId;
}

async function complete(disk: Backend, uploadId: string): Promise<void> {
  const parts = await disk.listParts("b", "deep/k", uploadId);
  const etag = md5(Buffer.concat([LARGE, OTHER]));
  await disk.completeUpload("b", "deep/k", uploadId, parts, { etag });
}

const has =
  (body: Buffer) =>
  async (disk: Backend): Promise<void> => {
    await put(disk, "deep/k", body);
  };

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "putting a small object": {
    work: (disk) => put(disk, "deep/k", SMALL),
    outcomes: [undefined, SMALL],
  },
  "putting a large object over a large one": {
    before: has(OTHER),
    work: (disk) => put(disk, "deep/k", LARGE),
    outcomes: [OTHER, LARGE],
  },
  "putting a small object over a large one": {
    before: has(LARGE),
    work: (disk) => put(disk, "deep/k", SMALL),
    outcomes: [LARGE, SMALL],
  },
  "deleting a large object": {
    before: has(LARGE),
    work: (disk) => disk.deleteObject("b", "deep/k"),
    outcomes: [LARGE, undefined],
  },
  "completing an upload over a large object": {
    before: has(LARGE),
    prepare: upload,
    work: complete,
    outcomes: [LARGE, Buffer.concat([LARGE, OTHER])],
  },
  "deleting an object of several parts": {
    before: async (disk) => complete(disk, await upload(disk)),
    work: (disk) => disk.deleteObject("b", "deep/k"),
    outcomes: [Buffer.concat([LARGE, OTHER]), undefined],
  },
  "uploading a part and aborting": {
    before: has(SMALL),
    prepare: upload,
    work: async (disk, uploadId) => {
      const blob = await disk.stage(chunksOf(OTHER));
      await disk.putPart("b", "deep/k", uploadId, blob, { number: 1, etag: md5(OTHER) });
      await disk.abortUpload("b", "deep/k", uploadId);
    },
    outcomes: [SMALL],
  },
};

/** Runs the work up to its nth call; false when it ended before that. */
async function dieAt(call: number, work: () => Promise<unknown>): Promise<boolean> {
  const dead = new Promise<boolean>((resolve) => {
    fault.state.reached = () => resolve(true);
  });
  fault.state.kind = "death";
  fault.state.left = call;
  const ended = await Promise.race([dead, work().then(() => false)]);
  // Calls that were under way beside the last one end before anybody looks.
  await new Promise((resolve) => setTimeout(resolve, 2));
  fault.state.left = Infinity;
  return ended;
}

/** Runs the work on a disk that is full from its nth writing call on; what it threw, if it did. */
async function fullAt(call: number, work: () => Promise<unknown>): Promise<unknown> {
  fault.state.kind = "full";
  fault.state.left = call;
  fault.state.reached = () => undefined;
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    fault.state.left = Infinity;
  }
}

/** Makes every process that has used the store one that is no more; who goes on registers anew. */
async function bury(directory: string): Promise<void> {
  for (const name of await readdir(join(directory, "owners"))) {
    const file = join(directory, "owners", name);
    const owner = JSON.parse(await readFile(file, "utf8")) as { start: string };
    await writeFile(file, JSON.stringify({ ...owner, start: "another" }));
  }
}

async function bodyOf(disk: Backend): Promise<Buffer | undefined> {
  const listed = await disk.listObjects("b", { prefix: "", delimiter: "", limit: 10 });
  if (listed.entries.length === 0) {
    await expect(disk.openObject("b", "deep/k")).rejects.toMatchObject({ code: "NoSuchKey" });
    return undefined;
  }
  const body = await read(disk, "deep/k");
  const head = await disk.headObject("b", "deep/k");
  expect(listed.entries).toEqual([{ ...head, parts: undefined }]);
  expect([head.etag, head.size]).toEqual([md5(body), body.length]);
  return body;
}

const SWEPT = /^(blobs|tmp|intents|locks).|objects.+=$/;

async function leftIn(directory: string): Promise<string[]> {
  return (await filesUnder(directory)).map(([path]) => path).filter((path) => SWEPT.test(path));
}

async function clear(disk: Backend): Promise<void> {
  await disk.deleteObject("b", "deep/k");
  for (const { uploadId } of await disk.listUploads("b", "")) {
    await disk.abortUpload("b", "deep/k", uploadId);
  }
}

describe("a process killed at any of its file-system calls", () => {
  for (const [title, { before, prepare, work, outcomes }] of Object.entries(SCENARIOS)) {
    it(`while ${title} leaves the old object or the new one, and nothing after a sweep`, async () => {
      const seen = new Set<number>();
      const { disk, directory } = await freshDisk();
      for (let call = 0; ; call += 1) {
        const writer = openDisk(directory);
        await before?.(writer);
        const prepared = (await prepare?.(writer)) ?? "";
        const died = await dieAt(call, () => work(writer, prepared));
        await bury(directory);

        const body = await bodyOf(disk);
        const outcome = outcomes.findIndex((other) => same(other, body));
        expect(outcome, `the object after ${call} calls`).toBeGreaterThanOrEqual(0);
        if (!died) expect(outcome).toBe(outcomes.length - 1);
        seen.add(outcome);

        // The dead one's lock is no obstacle to the next writer.
        if (call % 3 === 0) await put(disk, "deep/k", SMALL);
        await sweep(await openDirectory(directory));
        expect(same(await bodyOf(disk), call % 3 === 0 ? SMALL : body)).toBe(true);
        await clear(disk);
        expect(await leftIn(directory)).toEqual([]);
        if (!died) break;
      }
      await disk.deleteBucket("b");
      expect(seen.size).toBe(outcomes.length);
    });
  }
});

describe("a disk that is full from any of its writing calls on", () => {
  for (const [title, { before, prepare, work, outcomes }] of Object.entries(SCENARIOS)) {
    it(`while ${title} is InsufficientStorage, with the old object or the new one there`, async () => {
      const { disk, directory } = await freshDisk();
      for (let call = 0; ; call += 1) {
        const writer = openDisk(directory);
        await before?.(writer);
        const prepared = (await prepare?.(writer)) ?? "";
        const error = await fullAt(call, () => work(writer, prepared));
        if (error !== undefined) {
          expect(error).toMatchObject({ code: "InsufficientStorage", status: 507 });
        }
        const body = await bodyOf(disk);
        expect(outcomes.some((other) => same(other, body))).toBe(true);
        await clear(disk);
        // Not swept: who fails clears up itself.
        expect(await leftIn(directory)).toEqual([]);
        if (error === undefined) break;
      }
    });
  }
});

function same(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}
