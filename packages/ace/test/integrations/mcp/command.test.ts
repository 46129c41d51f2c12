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
    expect(bad.stderr).toContain("ACE_MCP_DEFAULT_MODEL=builtin/recall");
  });

  it("refuses unknown arguments", async () => {
    for (const args of [["--port", "1"], ["serve"], ["--help", "x"]]) {
      const result = await run(args);
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(result.stderr).toContain("usage: ace-mcp");
    }
  });

  it("serves until stdin ends", async () => {
    expect(await run([], {})).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});
