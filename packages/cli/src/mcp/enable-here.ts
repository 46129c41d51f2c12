import { AcumenError } from "@acumen/core";
import type { EnabledMcpServer, FileChange, TrustState } from "@acumen/agent";
import { isAgreed, refuseFault } from "../agent/change-trust.ts";
import { contentLines } from "../agent/trust-contents.ts";
import { workspaceFolder } from "../settings/workspace-folder.ts";
import { printable } from "../terminal/printable.ts";
import type { McpTask } from "./mcp-task.ts";
import type { OpenedMcp } from "./open-mcp.ts";

/** What became of the wish to use a server in a workspace. */
export interface EnabledHere {
  readonly enabled: boolean;
  /** Why it is not enabled. */
  readonly reason?: string;
  /** `workspace.json`; absolute. */
  readonly file: string;
  /** Nothing on this machine defines it. */
  readonly missing: boolean;
  readonly trust: {
    readonly state: TrustState["state"];
    readonly previous: TrustState["state"];
    /** What was different from what was trusted last. */
    readonly difference?: readonly FileChange[];
  };
}

/**
 * Enables a server and trusts the workspace with that. What else the workspace brings is shown, and asked about on a terminal;
 * without a yes nothing is changed.
 * @throws AGENT_WORKSPACE_UNTRUSTABLE, AGENT_WORKSPACE_INVALID, AGENT_TRUST_INVALID, AGENT_MCP_CONFIG_INVALID, CLI_INTERRUPTED
 */
export async function enableHere(
  name: string,
  task: McpTask,
  { manager, trust, home, cwd }: OpenedMcp,
): Promise<EnabledHere> {
  const { terminal, context } = task;
  const before = await trust.check(cwd);
  const brings = (await workspaceFolder(before.path, home)) !== undefined;
  if (before.state !== "trusted") await refuseFault(before, trust, context);
  const change = await manager.enable(cwd, name);
  const { file, missing, trust: now } = change;
  const result = { file, missing };
  if (now.state === "trusted") {
    return { ...result, enabled: true, trust: { state: "trusted", previous: before.state } };
  }
  const difference = now.difference === undefined ? {} : { difference: now.difference };
  const takeBack = async (): Promise<void> => {
    if (change.changed) await manager.disable(cwd, name);
  };
  try {
    const sources = { trust, home };
    if (brings && !(await isAgreed(await linesOf(change, sources), task))) {
      await takeBack();
      return {
        ...result,
        enabled: false,
        reason: "The workspace stays untrusted.",
        trust: { state: before.state, previous: before.state, ...difference },
      };
    }
    await trust.trust(now.path, { digest: now.digest });
  } catch (error) {
    // Given up, or somebody changed the folder meanwhile.
    if (AcumenError.isInstance(error)) await takeBack();
    throw error;
  }
  terminal.print(`${printable(now.path)} is trusted as it is now.`);
  return {
    ...result,
    enabled: true,
    trust: { state: "trusted", previous: before.state, ...difference },
  };
}

async function linesOf(
  { trust: state }: EnabledMcpServer,
  sources: Pick<OpenedMcp, "home" | "trust">,
): Promise<string[]> {
  const what = await contentLines(state, sources);
  return state.state === "changed" ? what : [`${printable(state.path)} is not trusted.`, ...what];
}
