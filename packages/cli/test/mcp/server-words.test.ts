import type { Command } from "commander";
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { CommandContext } from "../../src/command-context.ts";
import type { AddFlags } from "../../src/mcp/mcp-task.ts";
import { againQualified, definitionOf, type ServerFlags } from "../../src/mcp/server-words.ts";
import { createProgram } from "../../src/program.ts";

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
  const again = againQualified("files", ["npx", "-y", "it's", "$HOME"], {
    env: [`KEY=${SECRET}`, "TOKEN=${TOKEN}"],
    header: [`A: Bearer ${SECRET}`, "B: Bearer ${TOKEN}", `C: ${SECRET}\${TOKEN}`],
    transport: "stdio",
    cwd: "/srv/my data",
    timeout: 5,
    startupTimeout: 7,
  });
  expect(again).toEqual({
    line:
      "acumen mcp add files --force --on-conflict qualify --transport stdio --env KEY=… " +
      "--env 'TOKEN=${TOKEN}' --header A:… --header 'B: Bearer ${TOKEN}' --header C:… " +
      "--cwd '/srv/my data' --timeout 5 --startup-timeout 7 -- npx -y 'it'\\''s' '$HOME'",
    toFill: true,
  });
});

describe("the line that qualifies names, read by the command itself", () => {
  const flags = {
    "--transport": ["stdio"],
    "--env": ["A=${A}", "B=Bearer ${B}"],
    "--header": ["A: ${A}"],
    "--cwd": ["/srv/it's my data"],
    "--timeout": ["5"],
    "--startup-timeout": ["7"],
    "--on-conflict": ["qualify"],
    "--force": [],
    "--no-enable": [],
    "--workspace": ["/srv/other place"],
    "--json": [],
  } as const;
  const words = ["npx", "--json", "", "a b", "$HOME", "--"];

  test("has every option of the command, and each of them as it was", async () => {
    const known = (await addCommand()).options.map(({ long }) => long);
    expect(new Set(known)).toEqual(new Set(Object.keys(flags)));
    const given = Object.entries(flags).flatMap(([flag, values]) =>
      values.length === 0 ? [flag] : values.flatMap((value) => [flag, value]),
    );
    const first = await parsed(["memory", ...given, "--", ...words]);
    const { line, toFill } = againQualified(first.name, first.words, first.flags);
    expect(toFill).toBe(false);
    expect(await parsed(shellWords(line).slice(3))).toEqual(first);
  });

  test.each(Object.entries(flags))(
    "has %s, and nothing that was not given",
    async (flag, values) => {
      const given = values.length === 0 ? [flag] : values.flatMap((value) => [flag, value]);
      const first = await parsed(["memory", ...given, "--", ...words]);
      const again = await parsed(
        shellWords(againQualified("memory", words, first.flags).line).slice(3),
      );
      const always = { force: true, onConflict: "qualify" } as const;
      expect(again).toEqual({ ...first, flags: { ...first.flags, ...always } });
    },
  );
});

async function addCommand(): Promise<Command> {
  const context = { stdout: { isTTY: false, write: () => undefined } } as unknown as CommandContext;
  const program = await createProgram(context, ["mcp"]);
  const mcp = program.commands.find((command) => command.name() === "mcp");
  const add = mcp?.commands.find((command) => command.name() === "add");
  if (add === undefined) throw new Error("no such command");
  return add;
}

async function parsed(
  args: readonly string[],
): Promise<{ name: string; words: string[]; flags: AddFlags }> {
  const add = await addCommand();
  let found: { name: string; words: string[]; flags: AddFlags } | undefined;
  add.action((name: string, words: string[], flags: AddFlags) => {
    found = { name, words, flags };
  });
  await add.parseAsync([...args], { from: "user" });
  if (found === undefined) throw new Error("the command did not run");
  return found;
}

/** As a shell hands them over. */
function shellWords(line: string): string[] {
  const output = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  return output.split("\0").slice(0, -1);
}
