import { stat } from "node:fs/promises";
import type { McpConfigSource, ResolvedMcpServer } from "@acumen/agent";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { count } from "../terminal/count.ts";
import { type Check, check } from "./check.ts";

const NAME = "mcp";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Whether the MCP servers of this machine could be started, without starting one. What is not enabled in the folder is only worth a
 * note. Texts hold no values of a definition.
 * @param folder the workspace
 * @param options.trustOnce it counts as trusted in the process that is asked about
 */
export async function checkServers(
  folder: string,
  { home, variables }: Pick<LoadedSettings, "home" | "variables">,
  { trustOnce = false }: { readonly trustOnce?: boolean } = {},
): Promise<readonly Check[]> {
  const { McpConfigManager, WorkspaceTrust } = await import("@acumen/agent");
  const options = { home: home.folder, environment: variables };
  const trust = new WorkspaceTrust({ ...options, once: trustOnce });
  const manager = new McpConfigManager({ ...options, trust });
  return checksOf(manager.sourceFor({ cwd: folder }), { folder, variables });
}

async function checksOf(
  source: McpConfigSource,
  place: { readonly folder: string; readonly variables: Variables },
): Promise<readonly Check[]> {
  const { servers, files, problems } = await source.resolve();
  const broken = problems.map((problem) =>
    check(NAME, "wrong", problem, "Mend it there; nothing of the file counts until then."),
  );
  const found = await Promise.all(servers.map((server) => checkServer(server, place)));
  const vain = servers.flatMap(({ name, notes = [] }) =>
    notes.map((text) => check(NAME, "note", `${name}: ${text}`)),
  );
  const faults = [...broken, ...found.flat(), ...vain, ...(await openFile(files.machine))];
  if (faults.length > 0) return faults;
  const enabled = servers.filter((server) => server.enabled).length;
  return [
    check(
      NAME,
      "ok",
      servers.length === 0
        ? `no MCP server is defined (${files.machine})`
        : `${count(servers.length, "MCP server")} defined, ${enabled} enabled here`,
    ),
  ];
}

/** Values of variables and headers may stand in it. */
async function openFile(path: string): Promise<readonly Check[]> {
  const mode = await stat(path).then(
    (stats) => stats.mode & 0o777,
    () => 0,
  );
  if ((mode & 0o077) === 0) return [];
  const text = `${path} can be read or changed by others (mode ${mode.toString(8).padStart(4, "0")})`;
  return [check(NAME, "note", text, `Run \`chmod 600 ${path}\`.`)];
}

async function checkServer(
  server: ResolvedMcpServer,
  { folder, variables }: { readonly folder: string; readonly variables: Variables },
): Promise<readonly Check[]> {
  const { name, enabled, missing, fault, definition, disabledReason } = server;
  const status = enabled && disabledReason === undefined ? "wrong" : "note";
  if (missing) {
    return [
      check(
        NAME,
        "note",
        `${name} is enabled here and not defined on this machine`,
        `Define it with \`acumen mcp add ${name}\`, or run \`acumen mcp disable ${name}\`.`,
      ),
    ];
  }
  if (fault !== undefined) return [check(NAME, status, fault)];
  if (definition?.transport !== "stdio") return [];
  const { findProgram } = await import("@acumen/agent");
  const { command, cwd = folder, env } = definition;
  const program = await findProgram(command, cwd, env["PATH"] ?? variables["PATH"]);
  if (program.ok) return [];
  return [
    check(NAME, status, `${name}: ${program.message}`, "Install it, or mend the definition."),
  ];
}
