import { printable } from "../terminal/printable.ts";
import { wrap } from "../terminal/wrap.ts";
import { enableHere } from "./enable-here.ts";
import type { McpTask } from "./mcp-task.ts";
import { openMcp } from "./open-mcp.ts";
import { probe } from "./probe.ts";
import { serverReport } from "./server-report.ts";

type Changed = Readonly<Record<string, unknown>>;

/** Says what was done, in lines that fit. */
export function say({ terminal }: Pick<McpTask, "terminal">, ...texts: readonly string[]): void {
  terminal.print(...texts.flatMap((text) => wrap(printable(text), terminal.width)));
}

/** @throws AGENT_MCP_CONFIG_INVALID, AGENT_WORKSPACE_UNTRUSTABLE and others of {@link enableHere} */
export async function enableServer(name: string, task: McpTask): Promise<Changed> {
  const opened = await openMcp(task);
  const { enabled, missing, file, reason, trust } = await enableHere(name, task, opened);
  const record = { name, enabled, file, trust };
  if (!enabled) {
    say(task, `${name} is not enabled. ${reason ?? ""}`);
    return { ...record, reason };
  }
  say(task, `${name} is enabled in ${file}.`);
  if (missing) {
    task.context.stderr.write(
      `acumen: ${printable(name)} is not defined on this machine; \`acumen mcp add ${printable(name)}\` defines it.\n`,
    );
  }
  const { manager, cwd } = opened;
  const { servers, tools } = await probe(manager.sourceFor({ cwd }), { ...task, cwd });
  const status = servers.find(({ server }) => server === name);
  const own = tools.filter(({ server }) => server === name);
  if (status !== undefined) task.terminal.print(...serverReport(status, own, task.terminal));
  return { ...record, server: status ?? null, tools: own };
}

/** One that is not enabled is no failure. @throws AGENT_MCP_CONFIG_INVALID, AGENT_WORKSPACE_INVALID */
export async function disableServer(name: string, task: McpTask): Promise<Changed> {
  const { manager, cwd } = await openMcp(task);
  const { changed, file, trust } = await manager.disable(cwd, name);
  say(task, changed ? `${name} is disabled in ${file}.` : `${name} was not enabled here.`);
  return { name, enabled: false, changed, file, trust: { state: trust.state } };
}

/** @throws AGENT_MCP_SERVER_UNKNOWN, AGENT_MCP_CONFIG_INVALID, AGENT_WORKSPACE_INVALID */
export async function removeServer(name: string, task: McpTask): Promise<Changed> {
  const { manager, cwd } = await openMcp(task);
  const { machine } = manager.files(cwd);
  const { removed, choice } = await manager.remove(name, cwd);
  const disabled = choice?.changed === true;
  say(
    task,
    ...(removed ? [`${name} is defined no more in ${machine}.`] : []),
    ...(disabled ? [`It is disabled in ${choice.file}.`] : []),
  );
  return { name, removed, disabled, file: machine };
}
