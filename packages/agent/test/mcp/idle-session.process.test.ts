import { sourceCommand, startProcess } from "@acumen/testkit";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const PROTOCOL = "@modelcontextprotocol/";
/** `import … from "…"` and `export … from "…"` that load something. */
const STATIC_IMPORT =
  /^(?:import|export)\s(?!type\b)[^"';]*?\sfrom\s+"([^"]+)"|^import\s+"([^"]+)"/gm;

/** Packages that are loaded with a module, and files of ours. */
async function loadedWith(entry: URL): Promise<{ files: Set<string>; packages: Set<string> }> {
  const files = new Set<string>();
  const packages = new Set<string>();
  const left = [entry];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (files.has(file.href)) continue;
    files.add(file.href);
    for (const [, from, bare] of (await readFile(file, "utf8")).matchAll(STATIC_IMPORT)) {
      const name = from ?? bare ?? "";
      if (name.startsWith(".")) left.push(new URL(name, file));
      else packages.add(name);
    }
  }
  return { files, packages };
}

test("the package of the protocol is not loaded with the agent", async () => {
  const entry = new URL("../../src/index.ts", import.meta.url);
  const { files, packages } = await loadedWith(entry);
  const opening = new URL("../../src/mcp/connection/open-connection.ts", import.meta.url);
  expect(files).toContain(opening.href);
  expect(packages).toContain("@acumen/core");
  expect([...packages].filter((name) => name.startsWith(PROTOCOL))).toEqual([]);
});

test("a hundred sessions without servers keep no process running", async () => {
  const script = new URL("live/idle-managers.ts", import.meta.url);
  const child = startProcess(sourceCommand(script));
  expect(await child.exited).toEqual({ code: 0, signal: null });
  expect(child.stderr()).toBe("");
  expect(child.stdout()).toBe(".\n");
});
