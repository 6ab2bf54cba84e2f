/**
 * A process that stops at any one of its file-system calls. Here the call that is its last never
 * returns, so that nothing after it runs, no `finally` either; then its owner file is made that of
 * a dead process, and another process looks at what is there.
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

const death = vi.hoisted(() => {
  /** Calls left until the last; the promise resolves when that is reached. */
  const state = { left: Infinity, reached: (): void => undefined };
  const mortal =
    <A extends unknown[], R>(call: (...args: A) => R, self?: unknown) =>
    (...args: A): R | Promise<never> => {
      if (state.left === Infinity) return call.apply(self, args);
      state.left -= 1;
      if (state.left >= 0) return call.apply(self, args);
      state.reached();
      return new Promise<never>(() => undefined);
    };
  return { state, mortal, opened: [] as (() => Promise<void>)[] };
});

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const fake: Record<string, unknown> = { ...real };
  for (const name of ["link", "mkdir", "readFile", "readdir", "rename", "rm", "rmdir", "unlink"]) {
    fake[name] = death.mortal(real[name as "link"]);
  }
  fake["open"] = death.mortal(async (...args: Parameters<typeof real.open>) => {
    const file: FileHandle = await real.open(...args);
    death.opened.push(file.close.bind(file));
    for (const name of ["write", "writev", "datasync", "sync", "close"] as const) {
      Object.defineProperty(file, name, { value: death.mortal(file[name] as () => unknown, file) });
    }
    return file;
  });
  return fake;
});

afterEach(async () => {
  death.state.left = Infinity;
  // What the dead left open; closing twice does no harm.
  await Promise.all(death.opened.splice(0).map((close) => close()));
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
    death.state.reached = () => resolve(true);
  });
  death.state.left = call;
  const ended = await Promise.race([dead, work().then(() => false)]);
  // Calls that were under way beside the last one end before anybody looks.
  await new Promise((resolve) => setTimeout(resolve, 2));
  death.state.left = Infinity;
  return ended;
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
        const outcome = outcomes.findIndex((other) =>
          other && body ? other.equals(body) : other === body,
        );
        expect(outcome, `the object after ${call} calls`).toBeGreaterThanOrEqual(0);
        if (!died) expect(outcome).toBe(outcomes.length - 1);
        seen.add(outcome);

        // The dead one's lock is no obstacle to the next writer.
        if (call % 3 === 0) await put(disk, "deep/k", SMALL);
        await sweep(await openDirectory(directory));
        const expected = call % 3 === 0 ? SMALL : body;
        expect((await bodyOf(disk))?.equals(expected!) ?? expected === undefined).toBe(true);

        await disk.deleteObject("b", "deep/k");
        for (const { uploadId } of await disk.listUploads("b", "")) {
          await disk.abortUpload("b", "deep/k", uploadId);
        }
        const left = (await filesUnder(directory)).map(([path]) => path);
        expect(left.filter((path) => /^(blobs|tmp|intents|locks).|objects.+=$/.test(path))).toEqual(
          [],
        );
        if (!died) break;
      }
      await disk.deleteBucket("b");
      expect(seen.size).toBe(outcomes.length);
    });
  }
});
