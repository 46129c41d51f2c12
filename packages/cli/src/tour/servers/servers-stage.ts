import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "@acumen/core";
import { acumenDone } from "../practice/acumen-process.ts";
import { type PracticePlace, preparePlace } from "../practice/practice-place.ts";
import { PracticeRepository } from "../practice/practice-repository.ts";
import { titleLines } from "../report.ts";
import type { Stage } from "../stage.ts";
import { callLines, serversIntroLines, stateLines } from "./servers-report.ts";
import type { ServersResult, ServerState } from "./servers-result.ts";
import { useTheServer } from "./servers-session.ts";

/** Name under which the act defines its server. */
const SERVER = "skills";

/**
 * The third act: a real MCP server is added, enabled, used by the agent next to its built-in tools, paused and resumed.
 * Whatever it starts has ended when this settles.
 * @throws CLI_TOUR_FAILED; the signal's reason after an abort
 */
export async function useServers(stage: Stage): Promise<ServersResult> {
  const { terminal, signal } = stage;
  terminal.print(...serversIntroLines(terminal));
  const root = join(stage.root, "servers");
  await mkdir(root);
  const place = await preparePlace({ ...stage, root });
  await PracticeRepository.create({
    path: place.repository,
    env: place.env,
    ...(signal && { signal }),
  });

  terminal.print(...titleLines(terminal, "11. A server is added: acumen mcp add --json"));
  const added = await addServer(stage, place, root);
  terminal.print(...stateLines(terminal, "Probed", added === undefined ? [] : [added]));

  terminal.print(...titleLines(terminal, "12. Used, paused and resumed in one session"));
  const result = { added, ...(await useTheServer(stage, place, SERVER)) };
  terminal.print(...callLines(terminal, result));
  return result;
}

/** What the server learns is saved after each change, so that the process after a pause knows it too. */
async function addServer(
  stage: Stage,
  place: PracticePlace,
  root: string,
): Promise<ServerState | undefined> {
  const { command, args } = stage.command;
  const variables = {
    ACE_MCP_DEFAULT_MODEL: "builtin/recall",
    ACE_MCP_SKILLBOOK_ROOT: root,
    ACE_MCP_AUTOSAVE: "true",
  };
  const env = Object.entries(variables).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const added = await acumenDone(stage, place, [
    "mcp",
    "add",
    SERVER,
    ...env,
    "--",
    command,
    ...args,
  ]);
  const { server } = added;
  return isJsonObject(server) ? (server as unknown as ServerState) : undefined;
}
