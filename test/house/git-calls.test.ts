import { expect, test } from "vitest";
import { readText, trackedFiles } from "./support/repository.ts";

/** The one place where git is started for repositories of users. */
const WRAPPER = "packages/facade/src/git/git-command.ts";

/** These look at no repository of a user. */
const ALLOWED: Readonly<Record<string, string>> = {
  "packages/cli/src/doctor/machine-checks.ts": "asks git for its version",
  "packages/cli/src/tour/practice/practice-repository.ts": "makes the tour's own repository",
};

const CHILD_PROCESS = /["'`](?:node:)?child_process["'`]/;
/** A program's name as the first argument of a call, or at the beginning of a command line. */
const GIT = /\(\s*["'`](?:[^"'`\n]*\/)?git["'`\s]/;

function sources(...packages: readonly string[]): readonly string[] {
  return trackedFiles().filter((path) =>
    packages.some((name) => path.startsWith(`packages/${name}/src/`) && path.endsWith(".ts")),
  );
}

test("the patterns know a call of git when they see one", () => {
  for (const call of [
    'spawn("git", [])',
    "execFile(\n  'git', [])",
    "exec(`git status`)",
    'run("/usr/bin/git", x)',
  ])
    expect(call).toMatch(GIT);
  for (const other of ['spawn("github")', 'names.has("digit")', '["git", "npm"]'])
    expect(other).not.toMatch(GIT);
  expect('import { spawn } from "node:child_process"').toMatch(CHILD_PROCESS);
});

test("in the facade only the wrapper of git starts programs by itself", () => {
  const files = sources("facade");
  expect(files).toContain(WRAPPER);
  expect(files.filter((path) => CHILD_PROCESS.test(readText(path)))).toEqual([WRAPPER]);
});

test("nothing else of the facade or the command line calls git", () => {
  const calling = sources("facade", "cli").filter(
    (path) => path !== WRAPPER && GIT.test(readText(path)),
  );
  expect(calling.toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
});
