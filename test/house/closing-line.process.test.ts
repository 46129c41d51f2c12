import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { childEnvironment, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { writeFiles } from "../support/write-files.ts";
import { ROOT } from "./support/repository.ts";

describe("the closing line of a test run", () => {
  test("counts failed tests, files that cannot be loaded, failed hooks and unhandled errors as failures", async () => {
    await using folder = await tempFolder("acumen-closing-line");
    writeFiles(folder.path, {
      "good.test.js": "test('good', () => {});\n",
      "bad.test.js": "test('bad', () => { throw new Error('bad'); });\n",
      "unloadable.test.js": "import './missing.js';\ntest('never', () => {});\n",
      "hook.test.js":
        "describe('hooked', () => { beforeAll(() => { throw new Error('hook'); }); test('waits', () => {}); });\n",
      "late.test.js":
        "test('late', async () => { Promise.reject(new Error('nobody waits')); await new Promise((done) => setTimeout(done, 50)); });\n",
    });
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const reporter = join(ROOT, "scripts/closing-line-reporter.ts");
    const run = spawnSync(
      process.execPath,
      [vitest, "run", "--root", ".", "--globals", `--reporter=${reporter}`],
      { cwd: folder.path, encoding: "utf8", env: childEnvironment(), timeout: 60_000 },
    );
    expect(run.stdout.trimEnd().split("\n").at(-1)).toBe("2 passed, 4 failed, 1 skipped");
    expect(run.status).toBe(1);
  });
});
