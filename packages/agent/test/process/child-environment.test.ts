import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { childEnvironment } from "../../src/process/child-environment.ts";

const GIT_SETTINGS = {
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
  GIT_CONFIG_KEY_1: "core.fsmonitor",
  GIT_CONFIG_VALUE_1: "false",
};

test("only names of the allow list and those that are passed reach a child", () => {
  const safe = {
    PATH: "/bin",
    HOME: "/home/me",
    USER: "me",
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    LC_ALL: "C",
    TERM: "xterm",
    TMPDIR: "/tmp",
    TZ: "UTC",
    CI: "1",
    HTTPS_PROXY: "http://proxy",
    https_proxy: "http://proxy",
    no_proxy: "localhost",
  };
  const secret = {
    OPENAI_API_KEY: "sk-1",
    ANTHROPIC_API_KEY: "sk-2",
    AWS_SECRET_ACCESS_KEY: "x",
    GITHUB_TOKEN: "ghp_1",
    SSH_AUTH_SOCK: "/s",
    NODE_OPTIONS: "--require x",
    LD_PRELOAD: "x.so",
    BASH_ENV: "/tmp/x",
    ACUMEN_HOME: "/home/me/.acumen",
    my_secret_proxy: "x",
    Path: "x",
  };
  const child = childEnvironment({ ...safe, ...secret, JAVA_HOME: "/jdk", GONE: undefined }, [
    "JAVA_HOME",
    "GONE",
  ]);
  expect(child).toEqual({ ...safe, JAVA_HOME: "/jdk", ...GIT_SETTINGS, ACUMEN_AGENT: "1" });
});

test("a child cannot be told that it does not run under an agent", () => {
  expect(childEnvironment({ ACUMEN_AGENT: "0" }, ["ACUMEN_AGENT"])).toMatchObject({
    ACUMEN_AGENT: "1",
  });
});

test("settings of git that are passed stay, in front of the own ones", () => {
  const passed = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_VALUE_0: "me",
  };
  expect(childEnvironment(passed, Object.keys(passed))).toEqual({
    ...passed,
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_KEY_1: "safe.bareRepository",
    GIT_CONFIG_VALUE_1: "explicit",
    GIT_CONFIG_KEY_2: "core.fsmonitor",
    GIT_CONFIG_VALUE_2: "false",
    ACUMEN_AGENT: "1",
  });
  expect(
    childEnvironment({ GIT_CONFIG_COUNT: "many" }, ["GIT_CONFIG_COUNT"])["GIT_CONFIG_COUNT"],
  ).toBe("2");
});

test.each([
  ["a folder that looks like a bare repository", "."],
  ["a repository of its own", ".git"],
])("git runs no program that the configuration of %s names", async (_name, place) => {
  await using folder = await tempFolder("git");
  const repository = folder.join("evil", place);
  await mkdir(`${repository}/objects`, { recursive: true });
  await mkdir(`${repository}/refs`);
  await writeFile(`${repository}/HEAD`, "ref: refs/heads/main\n");
  const worktree = place === "." ? "\tworktree = .\n" : "";
  await writeFile(
    `${repository}/config`,
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${worktree}\tfsmonitor = "touch ${folder.join("ran")}; false"\n`,
  );
  const status = (env: Record<string, string>): boolean => {
    spawnSync("git", ["status"], { cwd: folder.join("evil"), env, stdio: "ignore" });
    return existsSync(folder.join("ran"));
  };
  const env = childEnvironment(process.env);
  expect(status(env)).toBe(false);
  // Without the settings it does, or this test would show nothing.
  expect(status({ PATH: env["PATH"] ?? "" })).toBe(true);
});
