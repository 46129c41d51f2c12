import { fileLines, noteLines, problemLines, statusLines } from "./status-lines.ts";
import type { McpTask } from "./mcp-task.ts";
import { openMcp } from "./open-mcp.ts";
import { probe } from "./probe.ts";

/** Every server that is defined on this machine or enabled here, with its state. @throws AGENT_WORKSPACE_INVALID */
export async function listServers(task: McpTask): Promise<Readonly<Record<string, unknown>>> {
  const { terminal } = task;
  const { manager, trust, cwd } = await openMcp(task);
  // A folder that does not exist has no servers to list.
  await trust.check(cwd);
  const found = await probe(manager.sourceFor({ cwd }), { ...task, cwd });
  const { servers, files, problems, notes } = found;
  terminal.print(
    ...problemLines(problems, terminal),
    // Nobody knows what a file defines that cannot be read.
    ...(servers.length > 0 || problems.length > 0
      ? statusLines(servers, terminal)
      : ["No MCP server is defined yet; see `acumen mcp add --help`."]),
    ...noteLines(notes, terminal),
    ...fileLines(files, terminal),
  );
  return {
    servers,
    files,
    ...(problems.length > 0 && { problems }),
    ...(notes.length > 0 && { notes }),
  };
}
