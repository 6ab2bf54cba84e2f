import { defineConfig, mergeConfig } from "vitest/config";

import base from "./vitest.config.js";

/** The long proofs: kill rounds, races, matrices. `.ci/run` runs them before the README's tests. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ["test/long/**/*.test.ts"], testTimeout: 300_000 } }),
);
