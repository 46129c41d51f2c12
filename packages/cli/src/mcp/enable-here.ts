import { join } from "node:path";
import { AcumenError, ensureFolder, withFileLock } from "@acumen/core";
import type { EnabledMcpServer, FileChange, TrustState } from "@acumen/agent";
import { canAsk, isAgreed, refuseFault } from "../agent/change-trust.ts";
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

const TRIES = 5;
/** Many commands may be at it; each is done in a moment. */
const LOCK_WAIT_MS = 60_000;

/**
 * Enables a server and trusts the workspace with that. What else the workspace brings is shown, and asked about on a terminal;
 * without a yes nothing is changed. Commands that ask nothing wait for each other, so that none sees half of another's edit.
 * @throws AGENT_WORKSPACE_UNTRUSTABLE, AGENT_WORKSPACE_INVALID, AGENT_TRUST_INVALID, AGENT_MCP_CONFIG_INVALID, CLI_INTERRUPTED,
 * CORE_LOCK_TIMEOUT
 */
export async function enableHere(
  name: string,
  task: McpTask,
  opened: OpenedMcp,
): Promise<EnabledHere> {
  const { folder } = opened.home;
  const work = (): Promise<EnabledHere> => repeated(() => enableOnce(name, task, opened));
  // Nobody waits until a person has answered.
  if (canAsk(task)) return enableOnce(name, task, opened);
  await ensureFolder(folder, { mode: 0o700 });
  return withFileLock(join(folder, "workspace-enable"), work, { waitMs: LOCK_WAIT_MS });
}

/** The folder was another one a moment later: somebody else edits it, and a moment later it is looked at again. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isMoved(error)) throw error;
    }
  }
}

/** It could be trusted, but it changed while it was looked at. */
export function isMoved(error: unknown): boolean {
  return AcumenError.isInstance(error) && error.details["moved"] === true;
}

async function enableOnce(
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
