import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, sourceCommand, tempFolder, type TempFolder } from "@acumen/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeFiles } from "../support/write-files.ts";
import { readManifest, readText, ROOT } from "./support/repository.ts";

let workspace: TempFolder;

/** A workspace of our shape whose `dist` says something else than its `src`, in value and in type. */
beforeAll(async () => {
  workspace = await tempFolder("acumen-stale");
  const { exports } = readManifest("packages/core");
  const base = JSON.parse(readText("tsconfig.base.json")) as {
    compilerOptions: Record<string, unknown>;
  };
  base.compilerOptions["types"] = [];
  writeFiles(workspace.path, {
    "package.json": '{ "type": "module" }\n',
    "tsconfig.base.json": JSON.stringify(base),
    "tsconfig.json": readText("tsconfig.json"),
    "packages/thing/package.json": JSON.stringify({
      name: "@acumen/thing",
      type: "module",
      exports,
    }),
    "packages/thing/src/index.ts": 'export const origin: "source" = "source";\n',
    "packages/thing/dist/index.js": 'export const origin = "stale build";\n',
    "packages/thing/dist/index.d.ts": 'export declare const origin: "stale build";\n',
    "packages/user/src/show.ts":
      'import { origin } from "@acumen/thing";\nexport const seen: "source" = origin;\nprocess.stdout.write(seen);\ndeclare const process: { stdout: { write(text: string): void } };\n',
    "packages/user/test/origin.test.ts":
      'import { origin } from "@acumen/thing";\ntest("origin", () => expect(origin).toBe("source"));\ndeclare const test: (name: string, run: () => void) => void;\ndeclare const expect: (value: unknown) => { toBe(value: unknown): void };\n',
    "node_modules/@acumen/.keep": "",
  });
  symlinkSync("../../packages/thing", workspace.join("node_modules/@acumen/thing"));
});

afterAll(() => workspace.remove());

function run(
  command: string,
  args: readonly string[],
): { code: number | null; stdout: string; all: string } {
  const result = spawnSync(command, args, {
    cwd: workspace.path,
    encoding: "utf8",
    env: childEnvironment(),
    timeout: 60_000,
  });
  return {
    code: result.status,
    stdout: result.stdout,
    all: result.stdout + result.stderr + String(result.error ?? ""),
  };
}

describe("a stale build cannot lie", () => {
  test("vitest with the repository's configuration tests the sources", () => {
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const config = join(ROOT, "vitest.config.ts");
    const args = [
      "run",
      "--root",
      ".",
      "--config",
      config,
      "--project",
      "unit",
      "--globals",
      "--reporter=json",
    ];
    const { code, stdout, all } = run(process.execPath, [vitest, ...args]);
    expect(code, all).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numTotalTests: 1 });
  });

  test("the type check reads the sources", () => {
    const { code, all } = run(join(ROOT, "node_modules/.bin/tsc"), ["-p", "tsconfig.json"]);
    expect(code, all).toBe(0);
  });

  test("a child process started from sources imports the sources, and node alone would have taken the build", () => {
    const command = sourceCommand(workspace.join("packages/user/src/show.ts"));
    expect(run(command.command, command.args).stdout).toBe("source");
    const withoutCondition = command.args.filter((arg) => !arg.startsWith("--conditions="));
    expect(run(command.command, withoutCondition).stdout).toBe("stale build");
  });
});
