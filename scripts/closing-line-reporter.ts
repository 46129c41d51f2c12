import type { Reporter, TestModule } from "vitest/node";

/**
 * Prints one closing line `N passed, N failed[, N skipped]` as the very last output.
 * Files that cannot be loaded and unhandled errors count as failures, so a broken suite never looks green.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
      }
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
    }
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    process.on("exit", () => process.stdout.write(`${line}\n`));
  }
}
