import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

// Without "module", which is for bundlers: Node would load files of @smithy packages that only a bundler can resolve.
const conditions = [
  "@acumen/source",
  ...defaultServerConditions.filter((condition) => condition !== "module"),
];

/** They start a process for nearly every test, which takes seconds: too much for `npm test`. */
const PROCESS_TESTS = "packages/*/test/**/*.process.test.ts";

/** Real processes with real deadlines, on machines that others use too. A test that needed it is named at the end. */
const RETRIES_IN_CI = process.env["CI"] === undefined ? 0 : 1;

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/test/**/*.test.ts", "test/house/**/*.test.ts"],
          exclude: [PROCESS_TESTS],
          // Nothing here keeps state in modules, so files may share them: half the work of loading each file's own copy.
          isolate: false,
          // Far above what any test needs, for machines that are busy with other things.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // The default leaves one core to the main thread, which has little to do here: half the speed on two cores.
          maxWorkers: "100%",
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          include: [PROCESS_TESTS],
          sequence: { groupOrder: 1 },
          retry: RETRIES_IN_CI,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: "100%",
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: ["test/e2e/**/*.test.ts"],
          // After the others: what is measured here must not share the machine with them.
          sequence: { groupOrder: 2 },
          // Real processes with real deadlines: one file at a time.
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
