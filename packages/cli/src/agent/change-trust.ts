import type { Readable, Writable } from "node:stream";
import { agentError, type TrustState, WorkspaceTrust } from "@acumen/agent";
import type { CommandContext } from "../command-context.ts";
import { homeOf } from "../settings/home.ts";
import { workspaceFault } from "../settings/workspace-fault.ts";
import { printable } from "../terminal/printable.ts";
import { terminalPrompts } from "../terminal/prompts.ts";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";
import { choiceFault, contentLines } from "./trust-contents.ts";

interface TrustChange {
  readonly context: Pick<CommandContext, "environment" | "signal" | "stderr" | "stdin" | "stdout">;
  readonly terminal: Terminal;
  readonly revoke?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
}

/**
 * Trusts a workspace, revokes that, or lists.
 * @returns what machines get
 * @throws AGENT_WORKSPACE_INVALID, AGENT_WORKSPACE_UNTRUSTABLE, AGENT_TRUST_INVALID; CLI_INTERRUPTED for Ctrl-C
 */
export async function changeTrust(path: string, change: TrustChange): Promise<object> {
  const { environment } = change.context;
  const trust = new WorkspaceTrust({
    home: homeOf(environment.variables).folder,
    environment: environment.variables,
  });
  if (change.list === true) return listed(trust, change.terminal);
  return change.revoke === true
    ? revoked(trust, path, change.terminal)
    : trusted(trust, path, change);
}

async function listed(trust: WorkspaceTrust, terminal: Terminal): Promise<object> {
  const entries = await trust.list();
  const states = await Promise.all(
    entries.map(async (entry) => {
      // A folder that is gone keeps its entry until it is revoked.
      const state = await trust.check(entry.path).catch(() => undefined);
      return { path: entry.path, trusted_at: entry.trustedAt, state: state?.state ?? "missing" };
    }),
  );
  terminal.print(
    ...(states.length === 0 ? ["No workspace is trusted."] : []),
    ...states.map(
      ({ path, state }) => `${printable(path)}${state === "trusted" ? "" : ` (${state})`}`,
    ),
  );
  return { workspaces: states };
}

async function revoked(trust: WorkspaceTrust, path: string, terminal: Terminal): Promise<object> {
  const found = await trust.revoke(path);
  const shown = printable(path);
  terminal.print(found ? `${shown} is trusted no more.` : `${shown} was not trusted.`);
  return { path, state: "untrusted", revoked: found };
}

async function trusted(trust: WorkspaceTrust, path: string, change: TrustChange): Promise<object> {
  const { terminal } = change;
  const before = await trust.check(path);
  const { difference } = before;
  const record = difference === undefined ? {} : { difference };
  await refuseFault(before, trust, change.context);
  const lines = await linesOf(before, trust, change);
  if (lines.length > 0 && !(await isAgreed(lines, change))) {
    terminal.print("It stays untrusted.");
    return { path: before.path, state: before.state, ...record };
  }
  const { path: real, trustedAt } = await trust.trust(path, { digest: before.digest });
  terminal.print(
    `${printable(real)} is trusted as it is now.`,
    "A change below .acumen ends that; `acumen trust --revoke` does too.",
  );
  return {
    path: real,
    state: "trusted",
    trusted_at: trustedAt,
    previous: before.state,
    ...record,
  };
}

/** What a yes is asked for; empty where there is nothing to ask about. */
async function linesOf(
  state: TrustState,
  trust: WorkspaceTrust,
  { context }: Pick<TrustChange, "context">,
): Promise<string[]> {
  // What stands in the way is said when it is to be trusted.
  if (state.state === "trusted" || state.problem !== undefined) return [];
  return contentLines(state, { trust, home: homeOf(context.environment.variables) });
}

/**
 * Nobody trusts a folder to be locked out of it, or to find that its choice of servers does not count.
 * @throws AGENT_WORKSPACE_UNTRUSTABLE when no session could begin with the settings that it brings, or its `workspace.json` is no use
 */
export async function refuseFault(
  { path, digest, problem }: TrustState,
  trust: WorkspaceTrust,
  context: Pick<CommandContext, "environment">,
): Promise<void> {
  // What else stands in the way is said when it is to be trusted.
  if (problem !== undefined) return;
  const home = homeOf(context.environment.variables);
  const fault = await workspaceFault({ cwd: path, trusted: true, digest }, { home, trust });
  if (fault?.code === "AGENT_WORKSPACE_UNTRUSTABLE") throw fault;
  if (fault !== undefined) {
    throw agentError(
      "AGENT_WORKSPACE_UNTRUSTABLE",
      `${path} is not trusted. It can't be trusted: ${fault.code}: ${fault.message}`,
      { cause: fault, details: { ...fault.details, path } },
    );
  }
  const choice = await choiceFault({ path, digest }, { home, trust });
  if (choice !== undefined) {
    throw agentError(
      "AGENT_WORKSPACE_UNTRUSTABLE",
      `${path} is not trusted. It can't be trusted: ${choice}`,
      { details: { path } },
    );
  }
}

/** There is a person who can answer. */
export function canAsk({ context, json }: Pick<TrustChange, "context" | "json">): boolean {
  if (json === true) return false;
  return context.stdout.isTTY === true && context.stdin().isTTY === true;
}

/** Shows what is to be trusted, and asks on a terminal; who calls a command without one has said yes with it. */
export async function isAgreed(
  lines: readonly string[],
  { context, terminal, json = false }: Pick<TrustChange, "context" | "json" | "terminal">,
): Promise<boolean> {
  const { stdin, stdout, stderr, signal } = context;
  if (json) return true;
  if (!canAsk({ context, json })) {
    // Whatever becomes of stdout, it is seen.
    createTerminal(stderr, { color: false }).print(...lines);
    return true;
  }
  terminal.print(...lines);
  const { confirm } = await terminalPrompts({
    input: stdin() as unknown as Readable,
    output: stdout as unknown as Writable,
    signal,
    gaveUp: "Given up; the workspace stays untrusted.",
  });
  return confirm({ message: "Trust it as it is now?", initial: false });
}
