import { defineConfig, mergeConfig } from "vitest/config";

import base from "./vitest.config.js";

/** The long proofs: kill rounds, races, matrices. `.ci/run` runs them before the README's tests. */
export default mergeConfig(
  { ...base, test: { ...base.test, projects: undefined } },
  defineConfig({
    test: {
      include: [
        "test/long/**/*.test.ts",
        // What runs in short with all the others, at every call of the disk.
        "test/unit/mcp/tools/undo.test.ts",
        "test/unit/store/disk/{history,format,catalog/catalog}.test.ts",
      ],
      env: { PAIL_TEST_EVERY_CALL: "1", PAIL_TEST_CHANGES: "1000" },
      testTimeout: 300_000,
    },
  }),
);
