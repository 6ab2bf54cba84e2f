/**
 * `pail sync --delete` killed at any moment: nothing is half there, nothing is removed before every
 * copy is there, and the next run completes what this one began. PAIL_TEST_KILLS sets the rounds.
 */
import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";

import { openBucket } from "../../src/core/storage/s3.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { createStore } from "../../src/store/index.js";
import { clientFor } from "../support/client.js";
import { createHome, finish, type Home } from "../support/run.js";
import { objectsIn } from "../support/sync.js";

const ROUNDS = Number(process.env["PAIL_TEST_KILLS"] ?? 100);
const FILES = 30;
const EXTRAS = 5;
/** Milliseconds a kill comes after the line it waits for, at most. */
const LATER = 40;

let home: Home;
let storage: BucketStorage;
beforeAll(async () => {
  home = createHome();
  expect((await home.pail(["mb", "local/bkt"])).code).toBe(0);
  // The same store, in this process: its directory is shared.
  const store = createStore({ directory: home.env["PAIL_STORE_DIR"]! });
  const credentials = await store.keys.first();
  storage = openBucket(clientFor({ handler: store.handler, credentials }), "bkt");
});
afterAll(() => {
  home.remove();
});

const content = (round: number, i: number) =>
  `${round}.${i}.`.padEnd(2_000 + i * 300, String(round));

function plant(root: string, round: number): Record<string, string> {
  mkdirSync(root, { recursive: true });
  const wanted: Record<string, string> = {};
  for (let i = 0; i < FILES; i++) {
    wanted[`f${i}`] = content(round, i);
    writeFileSync(join(root, `f${i}`), wanted[`f${i}`]!);
  }
  return wanted;
}

/** Resolves when a process has written so many lines. */
function lines(child: ChildProcess, count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    if (left === 0) resolve();
    child.stdout!.on("data", (chunk: Buffer) => {
      left -= chunk.toString().split("\n").length - 1;
      if (left <= 0) resolve();
    });
  });
}

it(`loses nothing when it is killed at ${ROUNDS} instants`, async () => {
  const source = join(home.directory, "source");
  const places = [source, "local/bkt/p"];
  const sync = ["sync", "--delete", "--delete-limit", "100%", "--concurrency", "2", ...places];
  const seen = { copying: 0, removing: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const before = await objectsIn(storage, "p/");
    const wanted = plant(source, round);
    for (let i = 0; i < EXTRAS; i++) await storage.write(`p/extra-${i}`, Buffer.from("extra"));
    const child = home.start(sync);
    const ended = finish(child);
    // After so many things are done, or begun.
    await Promise.race([lines(child, round % (FILES + 3)), ended]);
    await delay((round * 7) % LATER);
    child.kill("SIGKILL");
    await ended;

    const found = await objectsIn(storage, "p/");
    const extras = Object.keys(found).filter((name) => name.startsWith("extra")).length;
    let copied = 0;
    for (const [name, text] of Object.entries(wanted)) {
      // Each is what it was, or whole what it was to become.
      expect([wanted[name], before[name]]).toContain(found[name]);
      if (found[name] === text) copied += 1;
    }
    // Removing had begun: then every copy was there.
    if (extras < EXTRAS) expect([extras, copied]).toEqual([extras, FILES]);
    if (copied > 0 && copied < FILES) seen.copying += 1;
    if (extras < EXTRAS) seen.removing += 1;

    const again = await home.pail(sync);
    expect([again.code, again.stderr]).toEqual([0, expect.anything()]);
    expect(await objectsIn(storage, "p/")).toEqual(wanted);
  }
  // Otherwise the test has proven nothing.
  expect(seen.copying).toBeGreaterThan(0);
  expect(seen.removing).toBeGreaterThan(0);
}, 600_000);
