import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { childEnvironment, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { writeFiles } from "../support/write-files.ts";
import { readText } from "./support/repository.ts";

/** Runs the gate script with an `npm` that plays one answer a call: what it prints and its exit code. */
async function gate(
  answers: Readonly<Record<string, readonly [output: string, code: number]>>,
): Promise<{ lines: string[]; code: number | null }> {
  await using folder = await tempFolder("acumen-gate");
  const cases = Object.entries(answers).map(
    ([call, [output, code]]) => `"${call}") printf '%b' '${output}'; exit ${code};;`,
  );
  writeFiles(folder.path, {
    ".ci/run": readText(".ci/run"),
    "bin/npm": `#!/bin/sh\ncase "$*" in\n${cases.join("\n")}\n*) echo "unexpected: $*"; exit 99;;\nesac\n`,
  });
  chmodSync(folder.join(".ci/run"), 0o755);
  chmodSync(folder.join("bin/npm"), 0o755);
  const environment = childEnvironment();
  const run = spawnSync(folder.join(".ci/run"), [], {
    encoding: "utf8",
    env: { ...environment, PATH: `${folder.join("bin")}:${environment["PATH"] ?? ""}` },
  });
  return { lines: run.stdout.trimEnd().split("\n"), code: run.status };
}

describe(".ci/run", () => {
  test("ends with the sum of its steps", async () => {
    const { lines, code } = await gate({
      ci: ["added 3 packages\\n", 0],
      test: ["99 passed, 99 failed in a log\\n400 passed, 0 failed, 2 skipped\\n", 0],
      "run test:all": ["60 passed, 0 failed\\n", 0],
    });
    expect(lines.at(-1)).toBe("460 passed, 0 failed");
    expect(code).toBe(0);
  });

  test("a step that fails without a count is one failure, and nothing runs after it", async () => {
    const { lines, code } = await gate({
      ci: ["", 0],
      test: ["400 passed, 0 failed\\n", 0],
      "run test:all": ["lint: 3 errors\\n", 1],
    });
    expect(lines.at(-1)).toBe("400 passed, 1 failed");
    expect(code).not.toBe(0);
    expect((await gate({ ci: ["EUSAGE\\n", 1] })).lines.at(-1)).toBe("0 passed, 1 failed");
  });

  test("failed tests are counted once", async () => {
    const { lines, code } = await gate({
      ci: ["", 0],
      test: ["398 passed, 2 failed\\n", 1],
    });
    expect(lines.at(-1)).toBe("398 passed, 2 failed");
    expect(code).not.toBe(0);
  });
});
