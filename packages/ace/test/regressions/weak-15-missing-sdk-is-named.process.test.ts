import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { BIN } from "../integrations/mcp/support/server-process.ts";

/** Makes one import fail as Node does when a package or file is not there. */
function hookFor(missing: string, message: string): string {
  return `import { register } from "node:module";
    register("data:text/javascript," + encodeURIComponent(\`
      export async function resolve(specifier, context, next) {
        if (!specifier.startsWith(${JSON.stringify(missing)})) return next(specifier, context);
        throw Object.assign(new Error(${JSON.stringify(message)}), { code: "ERR_MODULE_NOT_FOUND" });
      }\`));`;
}

async function stderrWith(hook: string): Promise<{ code: number | null; stderr: string }> {
  await using folder = await tempFolder();
  await writeFile(folder.join("hook.mjs"), hook);
  await using server = startProcess(sourceCommand(BIN), {
    env: { NODE_OPTIONS: `--import ${folder.join("hook.mjs")}` },
  });
  const { code } = await server.exited;
  return { code, stderr: server.stderr() };
}

describe("weak point 15: the hint for a missing package is really seen", () => {
  it("names the package for a missing SDK, and nothing else for it", async () => {
    const sdk = await stderrWith(
      hookFor(
        "@modelcontextprotocol/server",
        "Cannot find package '@modelcontextprotocol/server' imported from /x/server.js",
      ),
    );
    expect(sdk.code).toBe(1);
    expect(sdk.stderr.trim().split("\n")).toHaveLength(1);
    expect(sdk.stderr).toContain("npm install @modelcontextprotocol/server");
    const own = await stderrWith(
      hookFor("./adapters.", "Cannot find module '/x/adapters.ts' imported from /x/server.js"),
    );
    expect(own.code).toBe(1);
    expect(own.stderr).not.toContain("npm install");
    expect(own.stderr).toContain("adapters.ts");
  });
});
