import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { aceServerCommand, acumenCommand } from "../../src/tour/server-command.ts";

const ACE = new URL("../../../ace/", import.meta.url);
const resolveTo =
  (entry: string) =>
  (specifier: string): string =>
    new URL(specifier === "@acumen/ace/mcp" ? entry : "package.json", ACE).href;

test("is the bin that the installed package names", () => {
  const command = aceServerCommand({
    resolve: resolveTo("dist/integrations/mcp/index.js"),
    execArgv: ["--conditions=@acumen/source"],
  });
  expect(command).toEqual({
    command: process.execPath,
    args: [fileURLToPath(new URL("bin/ace-mcp.js", ACE))],
  });
});

test("is the source of the server, with the flags of this process, when packages are sources", () => {
  const command = aceServerCommand({
    resolve: resolveTo("src/integrations/mcp/index.ts"),
    execArgv: ["--conditions=@acumen/source"],
  });
  expect(command.args).toEqual([
    "--conditions=@acumen/source",
    fileURLToPath(new URL("src/integrations/mcp/bin.ts", ACE)),
  ]);
});

test("acumen is run from its sources, with the flags of this process, where this is a source", () => {
  expect(acumenCommand({ execArgv: ["--conditions=@acumen/source"] })).toEqual({
    command: process.execPath,
    args: [
      "--conditions=@acumen/source",
      fileURLToPath(new URL("../../src/bin.ts", import.meta.url)),
    ],
  });
});

test("fails by name for a package without that bin", async () => {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, "package.json"), "{}");
  const resolve = (): string => pathToFileURL(join(folder.path, "package.json")).href;
  expect(() => aceServerCommand({ resolve })).toThrow(/names no bin ace-mcp/);
});
