import { McpConfigManager, type ResolvedMcpServer, WorkspaceTrust } from "@acumen/agent";
import type { CommandContext } from "../command-context.ts";
import type { AcpFlags } from "../commands/acp.ts";
import { terminalOf, writeRecord } from "../commands/setting-flags.ts";
import { type Check, check } from "../doctor/check.ts";
import { checkLines } from "../doctor/check-lines.ts";
import { checkModel } from "../doctor/model-checks.ts";
import { checkServers } from "../doctor/server-checks.ts";
import { checkCredentials, checkSettings, checkWorkspace } from "../doctor/settings-checks.ts";
import { cliError } from "../errors.ts";
import { SOURCE_NAMES } from "../models/model-lines.ts";
import { loadSettings, type LoadedSettings, modelIn } from "../settings/load-settings.ts";
import { EMBEDDED_MODEL } from "../settings/model-name.ts";
import { workspaceSettings } from "../settings/workspace-folder.ts";
import { missingCredentials } from "./missing-credentials.ts";

/** A definition, whether or not it is enabled in the folder; nothing is started. */
interface ServerRecord {
  readonly name: string;
  readonly transport: ResolvedMcpServer["transport"];
  readonly enabled: boolean;
}

/**
 * What a session that a host begins in this folder would have: model, credentials, MCP servers. Asks no service and starts no server.
 * @throws CLI_NO_MODEL, CLI_NO_CREDENTIALS, CLI_SETTINGS_FILE_INVALID when no model could be asked; CLI_USAGE, CLI_SETTING_INVALID
 */
export async function checkHost(
  flags: AcpFlags,
  context: CommandContext,
  cwd: string,
): Promise<void> {
  const terminal = terminalOf(context, flags);
  const everywhere = await loadSettings(context.environment.variables, flags, { tolerant: true });
  const place = { cwd, trustOnce: flags.trustOnce === true };
  const loaded = await seenFrom(place, everywhere);
  const { check: model } = await checkModel(loaded);
  const servers = await definitionsIn(place, loaded);
  const workspace = await checkWorkspace(cwd, loaded);
  const checks = [
    await checkSettings(loaded),
    ...(workspace === undefined ? [] : [workspace]),
    model,
    await checkCredentials(loaded),
    ...(await checkServers(cwd, loaded)),
    ...servers.map(serverCheck),
  ];
  for (const found of checks) terminal.print(...checkLines(terminal, found));
  const { model: chosen } = loaded;
  const record = {
    command: "acp",
    check: true,
    ok: true,
    cwd,
    ...(chosen !== undefined && { model: chosen.id, model_source: chosen.source }),
    mcp_servers: servers,
    checks,
  };
  refuseSilence(loaded, model, record);
  if (flags.json === true) writeRecord(context, record);
  else terminal.print(`A host that begins a session here asks ${chosen?.id}.`);
}

interface Place {
  readonly cwd: string;
  readonly trustOnce: boolean;
}

/** With the model that a trusted workspace brings; whatever is wrong with the workspace is told as a finding. */
async function seenFrom(place: Place, loaded: LoadedSettings): Promise<LoadedSettings> {
  const trust = trustIn(place, loaded);
  try {
    const { path: cwd, ...admission } = await trust.admit(place.cwd);
    const layer = await workspaceSettings({ cwd, ...admission }, { home: loaded.home, trust });
    return { ...loaded, model: modelIn(loaded, layer) };
  } catch {
    return loaded;
  }
}

async function definitionsIn(place: Place, loaded: LoadedSettings): Promise<ServerRecord[]> {
  const manager = new McpConfigManager({
    home: loaded.home.folder,
    environment: loaded.variables,
    trust: trustIn(place, loaded),
  });
  const { servers } = await manager.sourceFor({ cwd: place.cwd }).resolve();
  return servers.map(({ name, transport, enabled, disabledReason, missing, fault }) => ({
    name,
    transport,
    enabled: enabled && !missing && disabledReason === undefined && fault === undefined,
  }));
}

function trustIn({ trustOnce }: Place, { home, variables }: LoadedSettings): WorkspaceTrust {
  return new WorkspaceTrust({ home: home.folder, environment: variables, once: trustOnce });
}

function serverCheck({ name, transport, enabled }: ServerRecord): Check {
  const how = enabled ? "enabled in this folder" : "not enabled in this folder";
  return check("mcp", "ok", `${name} (${transport ?? "unknown"}): ${how}`);
}

/** @throws what keeps every question from being asked, with all findings in its details */
function refuseSilence(
  loaded: LoadedSettings,
  model: Check,
  record: Readonly<Record<string, unknown>>,
): void {
  const { settingsFault, model: chosen } = loaded;
  const details = { ...record, ok: false };
  if (settingsFault !== undefined) {
    throw cliError("CLI_SETTINGS_FILE_INVALID", settingsFault.message, { details });
  }
  const missing = missingCredentials(loaded);
  if (missing !== undefined) {
    const none = chosen === undefined || chosen.id === EMBEDDED_MODEL;
    throw cliError(none ? "CLI_NO_MODEL" : "CLI_NO_CREDENTIALS", missing, { details });
  }
  if (model.status === "wrong" && chosen !== undefined) {
    const named = `The model from ${SOURCE_NAMES[chosen.source]} cannot be used: ${model.message}`;
    throw cliError("CLI_NO_MODEL", named, { details });
  }
}
