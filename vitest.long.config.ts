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
        // And properties, with all of their cases.
        "test/unit/core/{filter,glob,local/list,operations/excerpt,operations/grep}.test.ts",
        "test/unit/core/storage/split/split-list.test.ts",
        "test/unit/store/disk/{catalog/run,list,names,versions}.test.ts",
        "test/unit/tui/view.test.ts",
      ],
      env: { PAIL_TEST_EVERY_CALL: "1", PAIL_TEST_CHANGES: "600" },
      testTimeout: 300_000,
    },
  }),
);
