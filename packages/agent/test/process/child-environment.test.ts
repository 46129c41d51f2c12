import { expect, test } from "vitest";
import { childEnvironment } from "../../src/process/child-environment.ts";

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
  expect(child).toEqual({ ...safe, JAVA_HOME: "/jdk", ACUMEN_AGENT: "1" });
});

test("a child cannot be told that it does not run under an agent", () => {
  expect(childEnvironment({ ACUMEN_AGENT: "0" }, ["ACUMEN_AGENT"])).toEqual({ ACUMEN_AGENT: "1" });
});
