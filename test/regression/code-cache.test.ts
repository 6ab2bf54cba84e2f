/** The code cache is run as code: it must be nobody else's. */
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { createHome } from "../support/run.js";

it.skipIf(process.getuid === undefined)(
  "is neither kept nor read where others can write, and is where they cannot",
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
