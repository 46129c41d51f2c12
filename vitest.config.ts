import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

// Without "module", which is for bundlers: Node would load files of @smithy packages that only a bundler can resolve.
const conditions = [
  "@acumen/source",
  ...defaultServerConditions.filter((condition) => condition !== "module"),
];

/** They start a process for nearly every test, which takes seconds: too much for `npm test`. */
const PROCESS_TESTS = ["packages/*/test/**/*.process.test.ts", "test/house/**/*.process.test.ts"];

/** They measure time or memory: nothing else may load the machine then. */
const MEASURED_TESTS = ["mcp-memory", "mcp-startup", "parallel-sessions", "slow-reader"].map(
  (name) => `test/e2e/${name}.test.ts`,
);

/** Real processes with real deadlines, on machines that others use too. A test that needed it is named at the end. */
const RETRIES_IN_CI = process.env["CI"] === undefined ? 0 : 1;

/** Tests wait for disks, timers and children a good part of their time: one more than there are cores. */
const WORKERS = availableParallelism() + 1;

/** Tests of this configuration use it with another root. */
function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
    // What a test waits for comes, only later on a busy machine. The default is one second.
    expect: { poll: { timeout: 30_000, interval: 20 } },
    setupFiles: [here("scripts/patient-waits.ts")],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/test/**/*.test.ts", "test/house/**/*.test.ts"],
          exclude: PROCESS_TESTS,
          // Nothing here keeps state in modules, so files may share them: half the work of loading each file's own copy.
          isolate: false,
          // Far above what any test needs, for machines that are busy with other things.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: WORKERS,
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          include: PROCESS_TESTS,
          sequence: { groupOrder: 1 },
          retry: RETRIES_IN_CI,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: WORKERS,
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: ["test/e2e/**/*.test.ts"],
          exclude: MEASURED_TESTS,
          globalSetup: [here("test/e2e/support/install-early.ts")],
          sequence: { groupOrder: 1 },
          retry: RETRIES_IN_CI,
          testTimeout: 180_000,
          hookTimeout: 300_000,
          maxWorkers: WORKERS,
        },
      },
      {
        extends: true,
        test: {
          name: "measured",
          include: MEASURED_TESTS,
          // After the others, one file at a time: what is measured here must not share the machine.
          sequence: { groupOrder: 2 },
          fileParallelism: false,
          retry: RETRIES_IN_CI,
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "conformance",
          include: ["test/conformance/*.test.ts"],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
