import { mkdir, writeFile } from "node:fs/promises";
import { createRedactor, McpConfigManager, WorkspaceTrust } from "@acumen/agent";
import { tempFolder } from "@acumen/testkit";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import { FolderProjects } from "../../src/registries/folder-projects.ts";
import { McpServers, type McpServersOptions } from "../../src/registries/mcp-servers.ts";
import { ToolCatalog } from "../../src/registries/tool-catalog.ts";

export const CALLER = {
  principal: LOCAL_PRINCIPAL,
  requestId: "request",
  signal: new AbortController().signal,
};

/** Two project folders, `a` and `b`, beside a real home with its own configuration and trust. */
export async function registryBench(
  servers: Readonly<Record<string, unknown>> = {},
  options: Partial<McpServersOptions> = {},
) {
  const folder = await tempFolder("acumen-registries");
  const home = folder.join("home");
  for (const name of ["home", "a", "b"]) await mkdir(folder.join(name));
  await writeFile(folder.join("home/mcp.json"), JSON.stringify({ mcpServers: servers }));
  const environment = { PATH: process.env["PATH"], HOME: folder.join("home") };
  const trust = new WorkspaceTrust({ home, environment });
  const definitions = new McpConfigManager({ home, environment, trust });
  const projects = new FolderProjects({
    folders: [folder.join("a"), folder.join("b")],
    isTrusted: async (path) => (await trust.check(path)).state === "trusted",
    isCheckout: async () => false,
  });
  const mcp = new McpServers({
    definitions,
    environment,
    redact: createRedactor(),
    outputFolder: async () => home,
    ...options,
  });
  const tools = new ToolCatalog({ projects, servers: mcp });
  /** The project chooses the server, and is trusted. */
  const choose = async (project: string, server: string): Promise<void> => {
    await definitions.enable(folder.join(project), server);
    await trust.trust(folder.join(project));
  };
  return {
    folder,
    home,
    trust,
    definitions,
    projects,
    mcp,
    tools,
    choose,
    [Symbol.asyncDispose]: async () => {
      await mcp.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
