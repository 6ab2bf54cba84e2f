/** Jobs that ended consoles have left: kept while they run, taken over once, read with suspicion. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { ownIdentity } from "../../../../src/system/process.js";
import type { Deps } from "../../../../src/tui/controller/deps.js";
import { keepJobs, takeLeft } from "../../../../src/tui/controller/left.js";
import type { Action } from "../../../../src/tui/state/actions.js";
import type { JobSpec } from "../../../../src/tui/state/types.js";

let root: string;
let state: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pail-left-"));
  state = join(root, "state");
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

const place = { alias: "local", bucket: "b", prefix: "" };
const spec: JobSpec = { type: "upload", paths: ["/x"], target: place };
/** A process that has ended: its id is free, or is another one's by now. */
const dead = { ...ownIdentity(), pid: 2 ** 22 - 1, started: "0" };

function keep(specs: readonly JobSpec[], directory = state) {
  const actions: Action[] = [];
  const deps = {
    context: { directories: { state: directory } },
    dispatch: (action: Action) => actions.push(action),
  } as unknown as Deps;
  const { signal } = new AbortController();
  return Promise.resolve(keepJobs(deps, { type: "keep-jobs", specs }, signal)).then(() => actions);
}

function leave(name: string, content: unknown): void {
  mkdirSync(state, { recursive: true });
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(state, `console-jobs-${name}.json`), text);
}

it("keeps what runs in a file that nobody else may read, and removes it when nothing runs", async () => {
  await keep([spec]);
  const [name] = readdirSync(state);
  expect(statSync(join(state, name!)).mode & 0o077).toBe(0);
  // This console is alive: what it runs is not left.
  expect(await takeLeft(state)).toEqual([]);
  await keep([]);
  expect(readdirSync(state)).toEqual([]);
});

it("takes over what a console left that is gone, once, and keeps it as its own", async () => {
  leave("1", { owner: dead, specs: [spec] });
  expect(await takeLeft(state)).toEqual([spec]);
  expect(await takeLeft(state)).toEqual([]);
  expect(readdirSync(state)).toEqual([`console-jobs-${process.pid}.json`]);
});

it("takes over every target of a long job, in its order", async () => {
  const targets = Array.from({ length: 2500 }, (_, index) => {
    const key = `é/${index}"\\`;
    return index % 7 === 0 ? { type: "prefix", key } : { type: "object", key, size: index };
  });
  leave("1", { owner: dead, specs: [spec, { type: "remove", from: place, targets }, spec] });
  const taken = await takeLeft(state);
  expect(taken.map(({ type }) => type)).toEqual(["upload", "remove", "upload"]);
  expect([...(taken[1] as Extract<JobSpec, { type: "remove" }>).targets]).toEqual(targets);
  // Its own file, which the next console takes over, says the same.
  const own = JSON.parse(readFileSync(join(state, `console-jobs-${process.pid}.json`), "utf8"));
  expect(own.specs).toEqual([spec, { type: "remove", from: place, targets }, spec]);
});

it("takes only work that it can carry out, whatever a file says", async () => {
  const move = { type: "move", from: place, to: place, targets: [{ type: "prefix", key: "a/" }] };
  const odd = [
    { type: "move", from: place, targets: [{ type: "prefix", key: "a/" }] },
    { type: "move", from: place, to: place, targets: [{ type: "other", key: "a/" }] },
    { type: "upload", paths: [1], target: place },
    { type: "download", from: place, targets: [], directory: 1 },
    { type: "remove", from: { alias: "local" }, targets: [] },
    { type: "format-disk", from: place, targets: [] },
    null,
  ];
  leave("1", { owner: dead, specs: [...odd, move] });
  leave("2", "no JSON");
  leave("3", { owner: dead });
  expect(await takeLeft(state)).toEqual([move]);
});

it("says when it cannot keep them, and takes nothing from where nothing is", async () => {
  writeFileSync(join(root, "file"), "");
  expect(await keep([spec], join(root, "file"))).toMatchObject([
    { type: "notice", tone: "warning" },
  ]);
  expect(await takeLeft(join(root, "none"))).toEqual([]);
});
