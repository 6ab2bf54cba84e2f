/**
 * `pail sync --delete` killed at any moment: nothing is half there, nothing is removed before every
 * copy is there, and the next run ends what this one began. PAIL_TEST_KILLS sets the rounds.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";

import { createHome, finish, type Home } from "../support/run.js";

const ROUNDS = Number(process.env["PAIL_TEST_KILLS"] ?? 4);
const FILES = 60;

let home: Home;
beforeAll(async () => {
  home = createHome();
  expect((await home.pail(["mb", "local/bkt"])).code).toBe(0);
});
afterAll(() => {
  home.remove();
});

const content = (round: number, i: number) =>
  `${round}.${i}.`.padEnd(2_000 + i * 300, String(round));

function plant(root: string, round: number): void {
  mkdirSync(root, { recursive: true });
  for (let i = 0; i < FILES; i++) writeFileSync(join(root, `f${i}`), content(round, i));
}

async function listed(): Promise<Map<string, number>> {
  const { stdout } = await home.pail(["ls", "-r", "--json", "local/bkt/p/"]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const { key, size } = JSON.parse(line) as { key: string; size: number };
      return [key.slice(key.lastIndexOf("/") + 1), size];
    }),
  );
}

it(`loses nothing when it is killed (${ROUNDS} rounds)`, async () => {
  const source = join(home.directory, "source");
  const sync = ["sync", "--delete", "--delete-limit", "100%", "-q", source, "local/bkt/p"];
  for (let round = 0; round < ROUNDS; round++) {
    plant(source, round);
    for (let i = 0; i < 5; i++) {
      await home.pail(["cp", "-q", join(source, "f0"), `local/bkt/p/extra-${round}-${i}`]);
    }
    const child = home.start(sync);
    const ended = finish(child);
    await delay(100 + ((round * 977) % 1_400));
    child.kill("SIGKILL");
    await ended;

    const found = await listed();
    const sizes = new Set(Array.from({ length: FILES }, (_, i) => content(round, i).length));
    for (const [name, size] of found) {
      if (!name.startsWith("extra")) expect([name, sizes.has(size)]).toEqual([name, true]);
    }
    const extras = [...found.keys()].filter((name) => name.startsWith(`extra-${round}`)).length;
    const { code } = await home.pail(["diff", "-q", source, "local/bkt/p"]);
    if (extras < 5) {
      // Removing had begun: then every copy was there.
      const { stdout } = await home.pail(["diff", source, "local/bkt/p"]);
      expect(stdout.split("\n").filter((line) => /^[<!]/.test(line))).toEqual([]);
    }
    expect([0, 5]).toContain(code);

    const again = await home.pail(sync);
    expect([again.code, again.stderr]).toEqual([0, ""]);
    const same = await home.pail(["diff", source, "local/bkt/p"]);
    expect([same.code, same.stdout]).toEqual([0, ""]);
  }
}, 600_000);
