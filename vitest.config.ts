import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    // The long proofs have a run of their own: vitest.long.config.ts.
    exclude: ["test/long/**"],
    // oclif's own capture reads process.stdout, which vitest would otherwise replace.
    disableConsoleIntercept: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each end-to-end test starts processes of its own; more files at once only queue on the CPU.
    maxWorkers: 3,
    // A shared machine may stall for seconds: a second try tells that from a fault. Locally none.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", "./test/support/summary-reporter.ts"],
  },
});
