import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../../src/integrations/mcp/command.ts";

async function run(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const text = { stdout: "", stderr: "" };
  stdout.setEncoding("utf8").on("data", (chunk: string) => (text.stdout += chunk));
  stderr.setEncoding("utf8").on("data", (chunk: string) => (text.stderr += chunk));
  stdin.end();
  const code = await runCommand({ args, env, stdin, stdout, stderr });
  return { code, ...text };
}

describe("the command ace-mcp", () => {
  it("prints help with every variable, and its version", async () => {
    const help = await run(["--help"]);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain("ACE_MCP_ASK_TIMEOUT_SECONDS (120)");
    expect(help.stdout).toContain("usage: ace-mcp");
    for (const line of help.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    const version = await run(["--version"]);
    expect(version).toMatchObject({ code: 0, stderr: "" });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("checks the set-up without serving", async () => {
    const good = await run(["--check"], { ACE_MCP_DEFAULT_MODEL: "builtin/recall" });
    expect(good).toMatchObject({ code: 0, stderr: "" });
    expect(good.stdout).toContain("model: builtin/recall");
    const bad = await run(["--check"]);
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).toContain("gpt-4o-mini");
    expect(bad.stderr).toContain("OPENAI_API_KEY");
    expect(bad.stderr).toContain("ACE_MCP_DEFAULT_MODEL=builtin/recall");
    expect(bad.stderr.match(/builtin\/recall/g)).toHaveLength(1);
    expect(bad.stderr.match(/offline/g)).toHaveLength(1);
  });

  it("reports provider, model and where the key is, never its value", async () => {
    const key = "sk-canary-0123456789";
    const base = "http://user:hunter2@127.0.0.1:9/v1";
    const found = await run(["--check"], { OPENAI_API_KEY: key });
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toMatch(
      /^model: gpt-4o-mini\nprovider: openai \(OpenAI\)\nkey: present in OPENAI_API_KEY\n/m,
    );
    const local = await run(["--check"], {
      ACE_MCP_DEFAULT_MODEL: "ollama/llama3.2",
      OLLAMA_API_BASE: base,
    });
    expect(local.stdout).toMatch(/^key: none needed\naddress: from OLLAMA_API_BASE$/m);
    expect(found.stdout + local.stdout).not.toMatch(/canary|0123|hunter2/);
  });

  it.each([
    ["no-such-provider/x", /unknown prefix "no-such-provider".*openai, anthropic/s],
    ["anthropic/claude-sonnet-4-5", /ANTHROPIC_API_KEY/],
    ["scripted/no/such/file.json", /no\/such\/file\.json/],
  ])("fails for %s and says why", async (model, reason) => {
    const result = await run(["--check"], { ACE_MCP_DEFAULT_MODEL: model });
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toMatch(reason);
  });

  it("refuses unknown arguments", async () => {
    for (const args of [["--port", "1"], ["serve"], ["--help", "x"]]) {
      const result = await run(args);
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(result.stderr).toContain("usage: ace-mcp");
    }
  });

  it.each([
    ["--log-format", "loud"],
    ["--log-format"],
    ["--log-format="],
    ["--log-format", "--check"],
  ])("refuses %s %s", async (...args) => {
    const result = await run(args);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toContain("--log-format json|pretty");
  });

  it("serves until stdin ends, in either log format", async () => {
    for (const args of [[], ["--log-format", "pretty"], ["--log-format=json"]])
      expect(await run(args, {})).toEqual({ code: 0, stdout: "", stderr: "" });
    const checked = await run(["--check", "--log-format", "pretty"], {
      ACE_MCP_DEFAULT_MODEL: "builtin/recall",
    });
    expect(checked.code).toBe(0);
  });
});
