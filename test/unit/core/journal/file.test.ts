import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import {
  type Journal,
  markUndone,
  openJournal,
  readJournals,
} from "../../../../src/core/journal/file.js";

const change = {
  tool: "put_object",
  kind: "write",
  alias: "local",
  bucket: "b",
  key: "k",
  endpoint: "store",
  before: { type: "absent" },
} as const;

let directory: string;
let open: Journal[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-journal-"));
  open = [];
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.map((journal) => journal.close()));
  rmSync(directory, { recursive: true });
});

async function start(budget = 100): Promise<Journal> {
  const journal = await openJournal(directory, budget);
  open.push(journal);
  return journal;
}

it("shares its budget with other processes, which it counts anew every second", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const [one, other] = [await start(), await start()];
  expect(one.left).toBe(100);
  expect(other.reserve(60)).toBe(true);
  writeFileSync(other.keptFile(), Buffer.alloc(60));
  vi.setSystemTime(Date.now() + 1001);
  expect(one.left).toBe(40);
  expect(one.reserve(41)).toBe(false);
  expect(one.reserve(40)).toBe(true);
  expect(one.reserve(1)).toBe(false);
  expect(other.left).toBe(40);
  expect((await start()).left).toBe(40);
});

it("knows of a change that was begun and never ended, and of no change that was not begun", async () => {
  const journal = await start();
  const call = journal.call();
  await journal.begin({ ...change, call });
  const made = await journal.begin({ ...change, call, key: "made" });
  await made.done({ type: "object", etag: "e" });
  await (await journal.begin({ ...change, call, key: "not made" })).void();
  // A process that dies in the middle of a line.
  appendFileSync(join(directory, `${call.slice(0, -2)}.jsonl`), '{"event":"beg');
  for (const changes of [await journal.changes(), await readJournals(directory)]) {
    expect(changes.map(({ key, after }) => [key, after?.type])).toEqual([
      ["k", undefined],
      ["made", "object"],
    ]);
  }
});

it("knows that a change was undone although its process died in the middle of a line", async () => {
  const journal = await start();
  const call = journal.call();
  await (await journal.begin({ ...change, call })).done({ type: "object", etag: "e" });
  appendFileSync(join(directory, `${call.slice(0, -2)}.jsonl`), '{"event":"beg');
  const [made] = await journal.changes();
  await markUndone(directory, made!, { type: "absent" });
  expect(await readJournals(directory)).toMatchObject([{ undone: { after: { type: "absent" } } }]);
});

it("goes on in a new file when another process took its own for a week old", async () => {
  const journal = await start();
  const [first, second] = [journal.call(), journal.call()];
  await (await journal.begin({ ...change, call: first })).done({ type: "object", etag: "e" });
  const path = join(directory, `${first.slice(0, -2)}.jsonl`);
  const then = Date.now() / 1000 - 8 * 86_400;
  utimesSync(path, then, then);
  await start();
  expect(existsSync(path)).toBe(false);
  expect(await journal.changes()).toEqual([]);
  await (await journal.begin({ ...change, call: second })).done({ type: "object", etag: "e" });
  expect(await journal.changes()).toMatchObject([{ call: second, after: { etag: "e" } }]);
  expect(await readJournals(directory)).toHaveLength(1);
});

it("removes copies and journals of a week ago, and nothing younger", async () => {
  const journal = await start();
  const [old, young] = [journal.keptFile(), journal.keptFile()];
  for (const path of [old, young]) writeFileSync(path, "copy");
  const ago = (days: number) => Date.now() / 1000 - days * 86_400;
  utimesSync(old, ago(7.1), ago(7.1));
  utimesSync(young, ago(6.9), ago(6.9));
  await start();
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});
