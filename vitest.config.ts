import { defineConfig } from "vitest/config";

/** Tests within this process, which share their modules: loading those anew takes a second a file. */
const WITHIN = ["test/{unit,contract,vectors}/**/*.test.{ts,tsx}"];
/** Those among them that mock Node's own modules, which takes modules that nobody has loaded yet. */
const MOCKING = ["test/unit/store/disk/{history,format,cost,syncs,catalog/catalog}.test.ts"];
const ALL = ["test/**/*.test.{ts,tsx}"];
// The long proofs have a run of their own: vitest.long.config.ts.
const LONG = "test/long/**";

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: "within", include: WITHIN, exclude: MOCKING, isolate: false },
      },
      { extends: true, test: { name: "mocking", include: MOCKING } },
      { extends: true, test: { name: "around", include: ALL, exclude: [LONG, ...WITHIN] } },
    ],
    // As bin/run.js has it.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    // oclif's own capture reads process.stdout, which vitest would otherwise replace.
    disableConsoleIntercept: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As patient as a test: a condition is waited for, however slow the machine.
    expect: { poll: { timeout: 30_000 } },
    // Each end-to-end test starts processes of its own; more files at once only queue on the CPU.
    maxWorkers: 3,
    // A shared machine may stall for seconds: a second try tells that from a fault. Locally none.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", "./test/support/summary-reporter.ts"],
  },
});
