import { describe, expect, test } from "vitest";
import { againQualified, definitionOf, type ServerFlags } from "../../src/mcp/server-words.ts";

const SECRET = "tok-4f9a8c1d2e";

describe("a definition", () => {
  test.each<[string, string[], ServerFlags, object]>([
    ["a command", ["npx", "-y", "pkg"], {}, { command: "npx", args: ["-y", "pkg"] }],
    [
      "arguments as they are: order, duplicates, what looks like an option of ours, empty ones",
      ["srv", "--env", "A=1", "-v", "-v", "--", "--json", "", "a b", "${HOME}"],
      {},
      {
        command: "srv",
        args: ["--env", "A=1", "-v", "-v", "--", "--json", "", "a b", "${HOME}"],
      },
    ],
    [
      "variables: only the first sign divides, spacing of a value stays",
      ["srv"],
      { env: ["A=x=y", "B=", "C= ${TOKEN} ", "A=z"] },
      { command: "srv", args: [], env: { A: "z", B: "", C: " ${TOKEN} " } },
    ],
    [
      "all the rest of a command",
      ["srv"],
      {
        cwd: "/srv/data",
        timeout: 5,
        startupTimeout: 7,
        onConflict: "qualify",
        transport: "stdio",
      },
      {
        command: "srv",
        args: [],
        cwd: "/srv/data",
        timeoutMs: 5,
        startupTimeoutMs: 7,
        onConflict: "qualify",
      },
    ],
    [
      "an address",
      ["https://example.org/mcp"],
      { header: ["Authorization: Bearer a:b", "X-Team:7"] },
      {
        type: "http",
        url: "https://example.org/mcp",
        headers: { Authorization: "Bearer a:b", "X-Team": "7" },
      },
    ],
    [
      "an address of the older kind",
      ["HTTP://localhost:3/sse"],
      { transport: "sse" },
      { type: "sse", url: "HTTP://localhost:3/sse" },
    ],
    [
      "a program whose name looks like an address",
      ["http://odd"],
      { transport: "stdio" },
      { command: "http://odd", args: [] },
    ],
  ])("%s", (_case, words, flags, expected) => {
    expect(definitionOf(words, flags)).toEqual(expected);
  });

  test("a folder is made absolute", () => {
    expect(definitionOf(["srv"], { cwd: "data" })).toMatchObject({
      cwd: `${process.cwd()}/data`,
    });
  });

  test.each<[string, string[], ServerFlags, string]>([
    ["nothing", [], {}, "Say how to start the server"],
    ["words behind an address", ["https://a.example", "x"], {}, "nothing else is expected"],
    ["no address where one is needed", ["srv"], { transport: "http" }, "--transport http takes"],
    ["variables of an address", ["https://a.example"], { env: [`A=${SECRET}`] }, "--env is for"],
    ["headers of a command", ["srv"], { header: [`A: ${SECRET}`] }, "--header is for"],
    ["a folder of an address", ["https://a.example"], { cwd: "/x" }, "--cwd is for"],
    ["a variable without a sign", ["srv"], { env: ["A=1", SECRET] }, "number 2 of them"],
    ["a variable without a name", ["srv"], { env: [`=${SECRET}`] }, "--env takes NAME=VALUE"],
    [
      "a header without a sign",
      ["https://a.example"],
      { header: [SECRET] },
      '--header takes "NAME: VALUE"',
    ],
  ])("refused: %s, and no value is repeated", (_case, words, flags, expected) => {
    const attempt = (): unknown => definitionOf(words, flags);
    expect(attempt).toThrow(expect.objectContaining({ code: "CLI_USAGE" }));
    expect(attempt).toThrow(expected);
    expect(attempt).not.toThrow(SECRET);
  });
});

test("the line that qualifies names can be pasted, and holds names of variables but no values", () => {
  const line = againQualified("files", ["npx", "-y", "it's", "$HOME"], {
    env: [`KEY=${SECRET}`, "TOKEN=${TOKEN}"],
    header: [`A: Bearer ${SECRET}`, "B: Bearer ${TOKEN}", `C: ${SECRET}\${TOKEN}`],
    transport: "stdio",
    cwd: "/srv/my data",
    timeout: 5,
    startupTimeout: 7,
  });
  expect(line).toBe(
    "acumen mcp add files --force --on-conflict qualify --transport stdio --env KEY=… " +
      "--env 'TOKEN=${TOKEN}' --header A:… --header 'B: Bearer ${TOKEN}' --header C:… " +
      "--cwd '/srv/my data' --timeout 5 --startup-timeout 7 -- npx -y 'it'\\''s' '$HOME'",
  );
});
