/** Closes a run with one plain line, for logs read by people and by machines. */
import type { Reporter, TestModule } from "vitest/node";

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) {
        counts.failed += 1;
      }
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    // After the default reporter's own summary.
    process.once("exit", () => {
      process.stdout.write(
        `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped\n`,
      );
    });
  }
}
