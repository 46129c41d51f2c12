import {
  DEFAULT_SETTINGS,
  McpConfigManager,
  parsePermissionRules,
  type ResolvedMcpServer,
  WorkspaceTrust,
} from "@acumen/agent";
import { AcumenError } from "@acumen/core";
import { languageModel } from "../agent/language-model.ts";
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
import { sessionSettings } from "../settings/session-settings.ts";
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
 * @throws CLI_NO_MODEL, CLI_NO_CREDENTIALS, CLI_SETTINGS_FILE_INVALID when no model could be asked, AGENT_WORKSPACE_UNTRUSTABLE and
 * AGENT_RULE_INVALID when no session could begin; CLI_USAGE, CLI_SETTING_INVALID
 */
export async function checkHost(
  flags: AcpFlags,
  context: CommandContext,
  cwd: string,
): Promise<void> {
  const terminal = terminalOf(context, flags);
  const everywhere = await loadSettings(context.environment.variables, flags, { tolerant: true });
  const place = { cwd, trustOnce: flags.trustOnce === true };
  const { loaded, fault } = await seenFrom(place, everywhere, flags);
  const { check: model } = await checkModel(loaded);
  const servers = await definitionsIn(place, loaded);
  const workspace = await checkWorkspace(cwd, loaded, place);
  const checks = [
    await checkSettings(loaded),
    ...(workspace === undefined ? [] : [workspace]),
    model,
    await checkCredentials(loaded),
    ...(await checkServers(cwd, loaded, place)),
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
  refuseSilence({ loaded, fault }, model, record);
  if (flags.json === true) writeRecord(context, record);
  else terminal.print(`A host that begins a session here asks ${chosen?.id}.`);
}

interface Place {
  readonly cwd: string;
  readonly trustOnce: boolean;
}

/** What a session in the folder goes by. */
interface Seen {
  /** With the model that a trusted workspace brings. */
  readonly loaded: LoadedSettings;
  /** Why none could begin there. */
  readonly fault: AcumenError | undefined;
}

async function seenFrom(place: Place, loaded: LoadedSettings, flags: AcpFlags): Promise<Seen> {
  const trust = trustIn(place, loaded);
  let seen = loaded;
  try {
    const { path: cwd, ...admission } = await trust.admit(place.cwd);
    const layer = await workspaceSettings({ cwd, ...admission }, { home: loaded.home, trust });
    seen = { ...loaded, model: modelIn(loaded, layer) };
    parsePermissionRules(sessionSettings(loaded, layer, flags, DEFAULT_SETTINGS).agent.permissions);
    return { loaded: seen, fault: undefined };
  } catch (fault) {
    if (AcumenError.isInstance(fault)) return { loaded: seen, fault };
    throw fault;
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

/** @throws what keeps sessions from beginning or questions from being asked, with all findings in its details */
function refuseSilence(
  { loaded, fault }: Seen,
  model: Check,
  record: Readonly<Record<string, unknown>>,
): void {
  const { settingsFault, model: chosen } = loaded;
  const details = { ...record, ok: false };
  const broken = settingsFault ?? fault ?? modelFault(loaded);
  if (broken !== undefined) {
    const { code, message } = broken;
    throw new AcumenError({ code, message, details });
  }
  const missing = missingCredentials(loaded);
  if (missing !== undefined) throw cliError("CLI_NO_CREDENTIALS", missing, { details });
  if (model.status === "wrong" && chosen !== undefined) {
    const named = `The model from ${SOURCE_NAMES[chosen.source]} cannot be used: ${model.message}`;
    throw cliError("CLI_NO_MODEL", named, { details });
  }
}

/** None that converses is chosen. */
function modelFault({ model }: LoadedSettings): AcumenError | undefined {
  try {
    languageModel(model);
    return undefined;
  } catch (error) {
    if (AcumenError.isInstance(error)) return error;
    throw error;
  }
}
