import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { cliError } from "../src/errors.ts";
import { main } from "../src/main.ts";

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  args: readonly string[],
  options: { variables?: Record<string, string>; signal?: AbortSignal; terminal?: boolean } = {},
): Promise<Outcome> {
  const out = { stdout: "", stderr: "" };
  const { variables = {}, signal = new AbortController().signal, terminal = false } = options;
  const stdin = Object.assign(Readable.from([]), { isTTY: terminal });
  const code = await main(args, {
    stdout: { isTTY: terminal, write: (text) => (out.stdout += text) },
    stderr: { write: (text) => (out.stderr += text) },
    stdin: () => stdin as unknown as NodeJS.ReadableStream,
    variables,
    signal,
  });
  return { code, ...out };
}

describe("help", () => {
  test("lists the commands that exist and no other", async () => {
    const { code, stdout, stderr } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    const commands = [...stdout.matchAll(/^ {2}([a-z]+)\b.{2,}/gm)].map(([, name]) => name);
    expect(commands).toEqual([
      "chat",
      "run",
      "sessions",
      "skillbook",
      "feedback",
      "trust",
      "mcp",
      "acp",
      "serve",
      "plan",
      "token",
      "models",
      "setup",
      "doctor",
      "tour",
      "help",
    ]);
  });

  test.each([
    ["--help"],
    ["chat --help"],
    ["run --help"],
    ["sessions --help"],
    ["sessions list --help"],
    ["sessions show --help"],
    ["sessions fork --help"],
    ["sessions delete --help"],
    ["sessions undo --help"],
    ["feedback --help"],
    ["trust --help"],
    ["mcp --help"],
    ["mcp list --help"],
    ["mcp add --help"],
    ["mcp remove --help"],
    ["mcp enable --help"],
    ["mcp disable --help"],
    ["mcp retry --help"],
    ["mcp test --help"],
    ["acp --help"],
    ["serve --help"],
    ["plan --help"],
    ["plan create --help"],
    ["plan list --help"],
    ["plan status --help"],
    ["plan watch --help"],
    ["plan execute --help"],
    ["plan diff --help"],
    ["plan apply --help"],
    ["plan approve --help"],
    ["plan cancel --help"],
    ["plan retry --help"],
    ["plan revert --help"],
    ["token --help"],
    ["token create --help"],
    ["token list --help"],
    ["token revoke --help"],
    ["skillbook review --help"],
    ["tour --help"],
    ["skillbook --help"],
    ["skillbook show --help"],
    ["skillbook stats --help"],
    ["skillbook diff --help"],
    ["models --help"],
    ["setup --help"],
    ["doctor --help"],
    ["help tour"],
  ])("of `acumen %s` has an example and fits 80 columns", async (line) => {
    const { code, stdout } = await run(line.split(" "));
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples?:\n {2}\$ acumen /);
    for (const text of stdout.split("\n")) expect(text.length).toBeLessThanOrEqual(80);
  });

  test("the version is the package's", async () => {
    const { code, stdout } = await run(["--version"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("usage errors are one line on stderr and exit 2", () => {
  test.each([
    ["an unknown command", "deploy", "Unknown command 'deploy'"],
    ["a misspelt command", "toor", "'. Did you mean tour? Try"],
    ["a misspelt subcommand", "skillbook shwo a.json", "'. Did you mean show? Try"],
    ["a misspelt subcommand of mcp", "mcp lst", "'. Did you mean list? Try"],
    ["a misspelt option of mcp add", "mcp add a --evn A=1 -- srv", "'. Did you mean --env? Try"],
    ["an option of a command without --", "mcp add a npx -y b", "own command stand behind `--`"],
    ["an unknown transport", "mcp add a --transport web http://x", "stdio, http, sse"],
    ["a time that is none", "mcp add a --timeout 1s -- srv", "whole number of milliseconds"],
    ["a server without a name", "mcp test", "argument 'name'"],
    ["a misspelt option", "tour --jsn", "'. Did you mean --json? Try"],
    ["a misspelt global option", "tour --no-colour", "'. Did you mean --no-color? Try"],
    ["a missing file", "skillbook show", "argument 'file'"],
    ["a missing second file", "skillbook diff a.json", "argument 'after'"],
    ["a third file", "skillbook diff a b c", "Too many arguments"],
    ["a word too much", "tour now", "Too many arguments"],
    ["a limit of 0", "skillbook show a --limit 0", "from 1 to 20000"],
    ["a limit that is no number", "skillbook show a --limit 1e3", "from 1 to 20000"],
    ["a misspelt option of doctor", "doctor --conect", "'. Did you mean --connect? Try"],
    ["a word after doctor", "doctor now", "Too many arguments"],
    ["an option without its value", "skillbook show a --section", "argument missing"],
  ])("for %s", async (_case, line, text) => {
    const { code, stdout, stderr } = await run(line.split(" "));
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^acumen: CLI_USAGE: [^\n]+\n$/);
    expect(stderr).toContain(text);
  });

  test.each([
    [["why does it fail"], true],
    [["fix", "the", "tests"], true],
    [["deploy"], false],
    [["modles", "open ai"], false],
  ])("%j hints at `acumen run`: %s", async (words, hints) => {
    const { code, stderr } = await run(words);
    expect(code).toBe(2);
    expect(stderr.includes('Did you mean `acumen run "…"`? Try `acumen --help`.')).toBe(hints);
  });

  test.each([
    ["skillbook show", "acumen skillbook show"],
    ["setup --modell x", "acumen setup"],
    ["tour extra", "acumen tour"],
    ["skillbook shwo", "acumen skillbook"],
    ["modles", "acumen"],
  ])("`acumen %s` names the help of %s", async (line, command) => {
    const { stderr } = await run(line.split(" "));
    expect(stderr.trimEnd().endsWith(` Try \`${command} --help\`.`)).toBe(true);
  });

  test("for `acumen skillbook` after the help", async () => {
    const { code, stdout, stderr } = await run(["skillbook"], { terminal: true });
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("Usage: acumen");
    expect(stderr.trimEnd().split("\n").at(-1)).toBe("acumen: CLI_USAGE: A command is missing.");
  });

  test("for a setting", async () => {
    const { code, stderr } = await run(["--help"], { variables: { ACUMEN_LOG: "loud" } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^acumen: CLI_SETTING_INVALID: ACUMEN_LOG [^\n]+\n$/);
  });
});

describe("errors", () => {
  test("are also the last line of stdout with --json", async () => {
    const { code, stdout, stderr } = await run(["skillbook", "show", "/nowhere.json", "--json"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^acumen: CORE_FILE_NOT_FOUND: [^\n]*\/nowhere\.json[^\n]*\n$/);
    expect(JSON.parse(stdout)).toMatchObject({
      type: "result",
      error: { code: "CORE_FILE_NOT_FOUND", details: { path: "/nowhere.json" } },
    });
  });

  test("do not take a --json behind -- for the option", async () => {
    expect((await run(["tour", "--", "--json"])).stdout).toBe("");
  });

  test("show no stack unless ACUMEN_LOG is debug", async () => {
    const line = ["skillbook", "show", "/nowhere.json"];
    expect((await run(line)).stderr).not.toContain(" at ");
    expect((await run(line, { variables: { ACUMEN_LOG: "debug" } })).stderr).toContain(" at ");
  });

  test("never bring control characters of a path to the terminal", async () => {
    const { stderr } = await run(["skillbook", "show", "/no\u001B[2J\nwhere.json"]);
    expect(stderr).toMatch(/^acumen: CORE_FILE_NOT_FOUND: [^\p{Cc}]+\n$/u);
  });

  test("after a signal are the signal's", async () => {
    const interrupted = cliError("CLI_INTERRUPTED", "Ended.", { details: { signal: "SIGTERM" } });
    const { code, stderr } = await run(["tour", "--quiet"], {
      signal: AbortSignal.abort(interrupted),
    });
    expect(code).toBe(143);
    expect(stderr).toBe("acumen: CLI_INTERRUPTED: Ended.\n");
  });
});
