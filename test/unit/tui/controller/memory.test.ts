import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import type { Deps } from "../../../../src/tui/controller/deps.js";
import { readMemory, remember } from "../../../../src/tui/controller/memory.js";
import { NOTHING } from "../../../../src/tui/state/memory.js";

const { signal } = new AbortController();

function memoryIn(state: string) {
  let turn = new AbortController();
  const deps = {
    context: { directories: { state } },
    latest: () => {
      turn.abort();
      turn = new AbortController();
      return turn.signal;
    },
  } as unknown as Deps;
  return (place: string) =>
    remember(deps, { type: "remember", memory: { ...NOTHING, place } }, signal);
}

it("keeps the latest of what is remembered, and nothing else", async () => {
  const state = join(mkdtempSync(join(tmpdir(), "pail-memory-")), "state");
  const keep = memoryIn(state);
  await Promise.all(["a/1/", "a/2/", "a/3/"].map(async (place) => keep(place)));
  expect(await readMemory(state)).toMatchObject({ place: "a/3/" });
  expect(readdirSync(state)).toEqual(["console.json"]);
});

it("does without where nothing can be kept, or what was kept cannot be read", async () => {
  const state = join(mkdtempSync(join(tmpdir(), "pail-memory-")), "file");
  writeFileSync(state, "");
  await memoryIn(state)("a/b/");
  expect(await readMemory(state)).toEqual(NOTHING);
});
