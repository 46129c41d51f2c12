import { describe, expect, test } from "vitest";
import { parseServerDefinition } from "../../../src/mcp/config/parse-server-definition.ts";

const environment = { HOME: "/home/you", TOKEN: "tok-0123456789", MY_API_TOKEN: "my-0123456789" };

function parse(raw: unknown): unknown {
  const parsed = parseServerDefinition(raw, { environment, expand: true });
  return parsed.ok ? parsed.definition : parsed.fault;
}

describe("definitions pasted from other hosts load", () => {
  test.each<[string, unknown, object]>([
    [
      "a desktop assistant",
      { command: "npx", args: ["-y", "@scope/server", "/home/you"], env: { API_KEY: "k" } },
      { transport: "stdio", command: "npx", args: ["-y", "@scope/server", "/home/you"] },
    ],
    [
      "a terminal agent with defaults in variables",
      {
        type: "http",
        url: "${BASE:-https://h.test}/mcp",
        headers: { A: "Bearer ${TOKEN}" },
        oauth: {},
      },
      { transport: "http", url: "https://h.test/mcp", headers: { A: "Bearer tok-0123456789" } },
    ],
    [
      "an editor with typed servers",
      { type: "stdio", command: "uvx", args: ["s"], env: { PORT: 80 }, gallery: true, dev: {} },
      { transport: "stdio", command: "uvx", env: { PORT: "80" } },
    ],
    [
      "an editor with env: variables",
      { command: "uvx", args: ["${env:TOKEN}"], env: { A: "${env:TOKEN}" } },
      { args: ["tok-0123456789"], env: { A: "tok-0123456789" } },
    ],
    [
      "an editor with serverUrl",
      { serverUrl: "https://h.test/mcp", headers: { A: "b" }, disabledTools: ["x"] },
      { transport: "http", url: "https://h.test/mcp", disabledTools: ["x"] },
    ],
    [
      "a terminal agent with httpUrl",
      {
        httpUrl: "https://h.test/mcp",
        timeout: 30_000,
        trust: true,
        includeTools: ["a"],
        excludeTools: ["b"],
      },
      {
        transport: "http",
        url: "https://h.test/mcp",
        timeoutMs: 30_000,
        enabledTools: ["a"],
        disabledTools: ["b"],
        trustReadOnlyHint: false,
      },
    ],
    [
      "an extension that counts seconds",
      { command: "node", disabled: false, autoApprove: ["a"], alwaysAllow: ["b"], timeout: 60 },
      { command: "node", timeoutMs: 60_000 },
    ],
    [
      "an extension with streamable-http",
      { type: "streamable-http", url: "https://h.test/mcp", description: "d" },
      { transport: "http" },
    ],
    [
      "an editor with a program as an object",
      {
        source: "custom",
        command: { path: "node", args: ["s.js"], env: { A: "b" } },
        settings: {},
      },
      { transport: "stdio", command: "node", args: ["s.js"], env: { A: "b" } },
    ],
    [
      "a terminal agent with a list as command",
      {
        type: "local",
        command: ["bun", "x", "s"],
        environment: { A: "{env:TOKEN}" },
        enabled: true,
      },
      { transport: "stdio", command: "bun", args: ["x", "s"], env: { A: "tok-0123456789" } },
    ],
    [
      "the same, remote",
      {
        type: "remote",
        url: "https://h.test/mcp",
        oauth: false,
        timeout: { startup: 9_000, request: 8_000 },
      },
      { transport: "http", startupTimeoutMs: 9_000, timeoutMs: 8_000 },
    ],
    [
      "an agent with a list of tools",
      { type: "local", command: "npx", tools: ["a", "b"] },
      { enabledTools: ["a", "b"] },
    ],
    ["keys that are null", { command: "npx", args: null, url: null, cwd: null }, { args: [] }],
    [
      "our word next to another's",
      { url: "https://a/", serverUrl: "https://b/" },
      { url: "https://a/" },
    ],
  ])("%s", (_host, raw, expected) => {
    expect(parse(raw)).toMatchObject(expected);
  });

  test("a star among tools means all of them", () => {
    expect(parse({ command: "npx", tools: ["*"] })).not.toHaveProperty("enabledTools");
  });
});

describe("what would be missed in silence is said", () => {
  test.each<[unknown, string]>([
    [
      { command: "npx", envFile: "${workspaceFolder}/.env" },
      "envFile: files of variables are not read. Write the variables under `env`, as `${NAME}` if they are secret.",
    ],
    [
      { url: "https://h/", headersHelper: "get-token" },
      "headersHelper: no program is asked for headers. Write them under `headers`, as `${NAME}` if they are secret.",
    ],
    [
      { command: "npx", env: { K: "${input:api-key}" } },
      "env.K: ${input:api-key} would be asked for in another program. Put the value into a variable and write `${NAME}`.",
    ],
    [
      { command: "npx", args: ["${workspaceFolder}"] },
      "args.0: ${workspaceFolder} is not known here. A server without `cwd` starts in the workspace, so write `.` instead.",
    ],
    [
      { command: "npx", args: ["${command:pick.it}"] },
      "args.0: ${command:pick.it} cannot be replaced. Variables are written `${NAME}` or `${NAME:-default}`.",
    ],
    [
      { command: "npx", env: { K: "$MY_API_TOKEN" } },
      "env.K: a variable is written `${MY_API_TOKEN}` here",
    ],
  ])("%j", (raw, fault) => {
    expect(parse(raw)).toBe(fault);
  });
});
