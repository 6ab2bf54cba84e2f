/**
 * Processes that write names until journals are full, fold and merge them, killed with SIGKILL at
 * random instants, while another lists; the first of them finds a store of format 1.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ListQuery } from "../../src/store/records.js";
import type { Backend } from "../../src/store/disk/index.js";
import { openDisk } from "../../src/store/disk/index.js";
import { put } from "../unit/store/disk/support.js";
import { bundle, start } from "../support/worker.js";

const ROUNDS = 14;
const WRITERS = 3;

let worker: { file: string; directory: string };
let directory: string;
beforeAll(async () => {
  worker = await bundle(new URL("../support/disk-worker.ts", import.meta.url));
  directory = mkdtempSync(join(tmpdir(), "pail-names-"));
});
afterAll(() => {
  rmSync(worker.directory, { recursive: true, force: true, maxRetries: 5 });
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

async function listed(disk: Backend): Promise<Set<string>> {
  const found: string[] = [];
  let after: ListQuery["after"];
  do {
    const page = await disk.listObjects("b", { prefix: "", delimiter: "", limit: 100, after });
    found.push(...page.entries.map(({ key }) => key));
    after = page.next;
  } while (after !== undefined);
  expect(found).toEqual([...found].sort());
  return new Set(found);
}

/** Makes a store of this format one that pail 0.1 left. */
function asOfOld(): void {
  rmSync(join(directory, "buckets/b+/names"), { recursive: true });
  rmSync(join(directory, "held"), { recursive: true });
  rmSync(join(directory, "locks"), { recursive: true, force: true, maxRetries: 5 });
  mkdirSync(join(directory, "locks"));
  writeFileSync(join(directory, "pail-store.json"), '{"format":1}');
}

it(`lists what was acknowledged, and no more, after each of ${ROUNDS} rounds of kills`, async () => {
  const before = openDisk(directory);
  await before.createBucket("b", "us-east-1");
  const there = new Set(["a", "a/b", "z"]);
  for (const key of there) await put(before, key, "x");
  // This process, too, is of the newer format: its owner file says so.
  asOfOld();
  const runs = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // In the first rounds while the store is being taken over from format 1.
    const writers = Array.from({ length: WRITERS }, (_, index) => {
      const last = round < 5 ? 1 : 20 + Math.floor(Math.random() * 80);
      const delay = Math.random() * (round < 5 ? 30 : 4);
      const seed = round * WRITERS + index;
      const args = ["names", directory, `w${seed}`, `${seed}`];
      const child = start(worker.file, args, (_line, count) => {
        if (count === last) setTimeout(() => child.kill(), delay);
      });
      return child;
    });
    const reader = openDisk(directory);
    const known = [...there];
    // Beside the writers: all that was there before them is there.
    const beside = await listed(reader);
    expect(known.filter((key) => !beside.has(key))).toEqual([]);
    const ended = await Promise.all(writers.map((each) => each.ended));
    const doubtful = new Set<string>();
    for (const { lines, code } of ended) {
      expect(code).toBeNull();
      let last: { key: string; there: boolean } | undefined;
      for (const line of lines as unknown as ({ done?: true } & typeof last & object)[]) {
        if (line.done !== true) last = line;
        else if (last?.there === true) there.add(last.key);
        else if (last !== undefined) there.delete(last.key);
        if (line.done === true) last = undefined;
      }
      if (last !== undefined) doubtful.add(last.key);
    }
    const now = await listed(round % 2 === 0 ? openDisk(directory) : reader);
    const wrong = [...there, ...now].filter((key) => there.has(key) !== now.has(key));
    expect(wrong.filter((key) => !doubtful.has(key))).toEqual([]);
    for (const key of doubtful) {
      if (now.has(key)) there.add(key);
      else there.delete(key);
    }
    const state = readFileSync(join(directory, "buckets/b+/names/state.json"), "utf8");
    for (const { name } of (JSON.parse(state) as { runs: { name: string }[] }).runs) runs.add(name);
  }
  // Else nothing was put to the test.
  expect(runs.size).toBeGreaterThan(2);
});
