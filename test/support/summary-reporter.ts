/**
 * Closes a run with one plain line, for logs read by people and by machines, and names before it
 * the tests that this machine or this run left out, and those that passed only at a second try:
 * they deserve a look.
 */
import type { Reporter, TestModule, TestSuite } from "vitest/node";

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = new Set<string>();
    const flaky: string[] = [];
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) {
        counts.failed += 1;
      }
      for (const test of module.children.allTests()) {
        counts[test.result().state] += 1;
        if (test.diagnostic()?.flaky) flaky.push(test.fullName);
      }
      for (const suite of module.children.suites()) if (isLeftOut(suite)) skipped.add(suite.name);
    }
    // After the default reporter's own summary.
    process.once("exit", () => {
      for (const name of flaky) process.stdout.write(`passed at a second try only: ${name}\n`);
      for (const name of skipped) process.stdout.write(`skipped: ${name}\n`);
      process.stdout.write(
        `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped\n`,
      );
    });
  }
}

function isLeftOut(suite: TestSuite): boolean {
  const tests = [...suite.children.allTests()];
  return tests.length > 0 && tests.every((test) => test.result().state === "skipped");
}
