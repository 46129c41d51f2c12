import { agentError, type McpServerStatus } from "@acumen/agent";
import { EXIT_CODES } from "../exit-code.ts";
import { serverReport } from "./server-report.ts";
import type { McpTask, TestFlags } from "./mcp-task.ts";
import { openMcp } from "./open-mcp.ts";
import { noteLines } from "./status-lines.ts";
import { only, type Probe, probe } from "./probe.ts";

type TriedServer = Readonly<Record<string, unknown>>;

/** Connects to a server of this machine. @throws AGENT_MCP_SERVER_UNKNOWN, AGENT_WORKSPACE_INVALID */
export async function testServer(name: string, task: McpTask & TestFlags): Promise<TriedServer> {
  const { manager, trust, cwd } = await openMcp(task);
  await trust.check(cwd);
  const source = only(manager.sourceFor({ cwd }), name, task);
  const found = await probe(source, { ...task, cwd });
  return tried(name, found, task);
}

/**
 * Connects to a server as a session of this workspace would: beside the others, which may have its names.
 * @throws AGENT_MCP_SERVER_UNKNOWN, AGENT_MCP_SERVER_NOT_ENABLED, AGENT_WORKSPACE_INVALID
 */
export async function retryServer(name: string, task: McpTask): Promise<TriedServer> {
  const { manager, trust, cwd } = await openMcp(task);
  await trust.check(cwd);
  const source = manager.sourceFor({ cwd });
  const { servers } = await source.resolve();
  const server = servers.find((one) => one.name === name);
  if (server !== undefined && (!server.enabled || server.disabledReason !== undefined)) {
    const remedy = server.disabledReason ?? `Enable it with \`acumen mcp enable ${name}\`.`;
    throw agentError(
      "AGENT_MCP_SERVER_NOT_ENABLED",
      `${name} is not enabled in this workspace. ${remedy}`,
      { details: { server: name } },
    );
  }
  return tried(name, await probe(source, { ...task, cwd }), task);
}

function tried(name: string, found: Probe, { context, terminal }: McpTask): TriedServer {
  const status: McpServerStatus | undefined = found.servers.find(({ server }) => server === name);
  if (status === undefined) throw unknownServer(name, found);
  const tools = found.tools.filter(({ server }) => server === name);
  terminal.print(
    ...serverReport(status, tools, terminal),
    ...noteLines(found.notes, terminal, name),
  );
  if (status.state !== "connected") context.ending.exitCode = EXIT_CODES.failed;
  const notes = found.notes.filter((note) => note.server === name).map(({ text }) => text);
  return { server: status, tools, ...(notes.length > 0 && { notes }) };
}

function unknownServer(name: string, { files, problems }: Probe): Error {
  const why = problems.length === 0 ? "Names are compared exactly." : problems.join(" ");
  return agentError(
    "AGENT_MCP_SERVER_UNKNOWN",
    `There is no MCP server ${JSON.stringify(name)} in ${files.machine}. ${why}`,
    { details: { server: name, path: files.machine } },
  );
}
