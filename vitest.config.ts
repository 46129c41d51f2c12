import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

const conditions = ["@acumen/source", ...defaultServerConditions];

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
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
