import { realpath } from "node:fs/promises";
import { McpConfigManager, WorkspaceTrust } from "@acumen/agent";
import { type Home, homeOf } from "../settings/home.ts";
import type { McpTask } from "./mcp-task.ts";

/** What there is on this machine about servers, seen from one workspace. */
export interface OpenedMcp {
  readonly manager: McpConfigManager;
  readonly trust: WorkspaceTrust;
  readonly home: Home;
  /** Absolute, and real where it exists. */
  readonly cwd: string;
}

export async function openMcp({
  context,
  workspace,
  trustOnce = false,
}: Pick<McpTask, "context" | "trustOnce" | "workspace">): Promise<OpenedMcp> {
  const { variables } = context.environment;
  const home = homeOf(variables);
  const trust = new WorkspaceTrust({
    home: home.folder,
    environment: variables,
    once: trustOnce,
  });
  const options = { home: home.folder, environment: variables, trust };
  const cwd = await realpath(workspace).catch(() => workspace);
  return { manager: new McpConfigManager(options), trust, home, cwd };
}
