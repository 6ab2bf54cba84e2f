/** Several processes on one store directory at once. */
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDirectory } from "../../src/store/disk/directory.js";
import { openDisk } from "../../src/store/disk/index.js";
import { sweep } from "../../src/store/disk/sweep.js";
import { bundle, start } from "../support/worker.js";

const PROCESSES = 4;
const ROUNDS = 50;

let worker: { file: string; directory: string };
let directory: string;
beforeAll(async () => {
  worker = await bundle(new URL("../support/disk-worker.ts", import.meta.url));
  directory = await mkdtemp(join(tmpdir(), "pail-concurrency-"));
});
afterAll(async () => {
  await rm(worker.directory, { recursive: true, force: true, maxRetries: 5 });
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

async function bytesOf(disk: ReturnType<typeof openDisk>, key: string): Promise<Buffer> {
  const opened = await disk.openObject("plain", key);
  const parts: Buffer[] = [];
  for await (const chunk of opened.read(0, opened.record.size - 1)) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

describe("several processes writing, overwriting, deleting and listing one directory", () => {
  it("read nothing torn, lose no update, and have exactly one winner of each race", async () => {
    const disk = openDisk(directory);
    await disk.createBucket("plain", "us-east-1");
    async function* zero(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("0");
    }
    const about = { headers: {}, metadata: {}, storageClass: "STANDARD", tags: {}, etag: "zero" };
    await disk.putObject("plain", "counter", await disk.stage(zero()), about);

    const workers = Array.from({ length: PROCESSES }, (_, index) =>
      start(worker.file, ["compete", directory, `w${index}`, `${index + 1}`]),
    );
    const ended = await Promise.all(workers.map((each) => each.ended));
    expect(ended.map(({ code }) => code)).toEqual(workers.map(() => 0));

    const said = ended.flatMap(({ lines }) => lines);
    expect(said.filter((line) => "torn" in line || "disorder" in line)).toEqual([]);
    const wins = said.filter((line) => "won" in line);
    expect(wins.map(({ won }) => won as number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: ROUNDS }, (_, round) => round),
    );
    for (const { won, etag } of wins) {
      const bytes = await bytesOf(disk, `race/${won as number}`);
      expect(createHash("md5").update(bytes).digest("hex")).toBe(etag);
    }
    expect((await bytesOf(disk, "counter")).toString()).toBe(`${PROCESSES * ROUNDS}`);

    await sweep(await openDirectory(directory));
    const left = await Promise.all(
      ["tmp", "intents", "held"].map((place) => readdir(join(directory, place))),
    );
    expect(left).toEqual([[], [], []]);
  });
});
