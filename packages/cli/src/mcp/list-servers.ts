import { fileLines, noteLines, statusLines } from "./status-lines.ts";
import type { McpTask } from "./mcp-task.ts";
import { openMcp } from "./open-mcp.ts";
import { probe } from "./probe.ts";

/** Every server that is defined on this machine or enabled here, with its state. */
export async function listServers(task: McpTask): Promise<Readonly<Record<string, unknown>>> {
  const { terminal } = task;
  const { manager, cwd } = await openMcp(task);
  const found = await probe(manager.sourceFor({ cwd }), { ...task, cwd });
  const { servers, files, problems, notes } = found;
  terminal.print(
    ...(servers.length > 0
      ? statusLines(servers, terminal)
      : ["No MCP server is defined yet; see `acumen mcp add --help`."]),
    ...noteLines(notes, terminal),
    ...fileLines(files, problems, terminal),
  );
  return {
    servers,
    files,
    ...(problems.length > 0 && { problems }),
    ...(notes.length > 0 && { notes }),
  };
}
