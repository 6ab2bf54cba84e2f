/** The code cache is run as code: nobody else may write it. */
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { createHome, RUNTIME } from "../support/run.js";

// The single executable is compiled already, and keeps no cache.
const noCache = RUNTIME !== process.execPath;

it.skipIf(noCache || process.getuid === undefined)(
  "is kept and read only where nobody else can write",
  async () => {
    const home = createHome();
    try {
      const directory = join(home.directory, "cache");
      const env = { PAIL_CACHE_DIR: directory };
      mkdirSync(directory);
      chmodSync(directory, 0o777);
      expect(await home.pail(["alias", "list"], { env })).toMatchObject({ code: 0 });
      expect(readdirSync(directory)).toEqual([]);
      chmodSync(directory, 0o700);
      await home.pail(["alias", "list"], { env });
      expect(readdirSync(directory)).toHaveLength(1);
    } finally {
      home.remove();
    }
  },
);

it.skipIf(noCache)("is thrown away when a bit of it is wrong or its end is missing", async () => {
  const home = createHome();
  try {
    const directory = join(home.directory, "cache");
    const env = { PAIL_CACHE_DIR: directory };
    await home.pail(["alias", "list"], { env });
    const file = join(directory, readdirSync(directory)[0]!);
    const whole = readFileSync(file);
    const zeroed = Buffer.from(whole).fill(0, 8192, 12_288);
    const flipped = Buffer.from(whole);
    flipped[whole.length >> 1]! ^= 8;
    for (const bad of [flipped, zeroed, whole.subarray(0, 5000), Buffer.alloc(0)]) {
      writeFileSync(file, bad);
      expect(await home.pail(["alias", "list"], { env })).toMatchObject({ code: 0 });
      // Made anew, for the next run.
      const made = readFileSync(file);
      expect(made.length).toBeGreaterThan(whole.length / 2);
      expect(made.equals(bad)).toBe(false);
    }
  } finally {
    home.remove();
  }
});

it.skipIf(noCache)("leaves no half-written file where it cannot be put in place", async () => {
  const home = createHome();
  try {
    const directory = join(home.directory, "cache");
    const env = { PAIL_CACHE_DIR: directory };
    await home.pail(["alias", "list"], { env });
    const [name] = readdirSync(directory);
    rmSync(join(directory, name!));
    mkdirSync(join(directory, name!, "in-the-way"), { recursive: true });
    expect(await home.pail(["alias", "list"], { env })).toMatchObject({ code: 0 });
    expect(readdirSync(directory)).toEqual([name]);
  } finally {
    home.remove();
  }
});
