import type { Reporter, TestModule } from "vitest/node";

/**
 * Prints one closing line `N passed, N failed[, N skipped]` as the very last output.
 * Tests that passed only when they were run again are named before it.
 * Files that cannot be loaded and unhandled errors count as failures, so a broken suite never looks green.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    const again: string[] = [];
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (test.diagnostic()?.flaky === true) again.push(test.fullName);
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
      }
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
    }
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    const flaky = again.map((name) => `passed only when run again: ${name}\n`).join("");
    process.on("exit", () => process.stdout.write(`${flaky}${line}\n`));
  }
}
