import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCES = new URL("../../../src/", import.meta.url);
const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;"']*?\sfrom\s+)?"([^"]+)";/gm;

/** Packages and files that are loaded together with these files, imports of types and `import()` aside. */
function loadedWith(...files: readonly string[]): Set<string> {
  const loaded = new Set<string>();
  const visit = (file: URL): void => {
    if (loaded.has(nameOf(file))) return;
    loaded.add(nameOf(file));
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(STATIC_IMPORT)) {
      if (!specifier.startsWith(".")) loaded.add(specifier);
      else if (specifier.endsWith(".ts")) visit(new URL(specifier, file));
    }
  };
  for (const file of files) visit(new URL(file, SOURCES));
  return loaded;
}

function nameOf(file: URL): string {
  return fileURLToPath(file).slice(fileURLToPath(SOURCES).length);
}

const MCP = "integrations/mcp/";

describe("what is loaded before it is needed", () => {
  it("neither the models package nor the engine before the first call", () => {
    const atStart = loadedWith(
      ...["bin.ts", "command.ts", "server.ts", "adapters.ts", "stdio-transport.ts"].map(
        (file) => MCP + file,
      ),
    );
    expect(atStart).toContain(`${MCP}service.ts`);
    expect(atStart).toContain("@acumen/core");
    expect(atStart).not.toContain("@acumen/models");
    expect(atStart).not.toContain(`${MCP}engine.ts`);
    expect(atStart).not.toContain("runner/ace.ts");
  });

  it("not the models package with the engine: builtin/recall needs none of it", () => {
    const engine = loadedWith(`${MCP}engine.ts`, "roles/recall/index.ts");
    expect(engine).toContain("runner/ace.ts");
    expect(engine).not.toContain("@acumen/models");
    expect([...engine].filter((name) => name.startsWith("roles/model/"))).toEqual([]);
  });
});
