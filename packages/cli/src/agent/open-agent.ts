import { stat } from "node:fs/promises";
import {
  type AdmittedWorkspace,
  type AgentSettings,
  type CodingAgent,
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  FileSessionStore,
  McpConfigManager,
  parsePermissionRules,
  type SessionMode,
  type WorkspaceFacts,
  WorkspaceTrust,
} from "@acumen/agent";
import { AcumenError, createStderrLogger } from "@acumen/core";
import { type Model, resolveModel } from "@acumen/models";
import type { Environment } from "../environment.ts";
import {
  type ChosenModel,
  type LoadedSettings,
  loadSettings,
  modelIn,
} from "../settings/load-settings.ts";
import { type ChosenLevel, sessionSettings } from "../settings/session-settings.ts";
import { workspaceFolder, workspaceSettings } from "../settings/workspace-folder.ts";
import { refuseAgent } from "../refuse-agent.ts";
import type { AgentFlags } from "./agent-flags.ts";
import { printable } from "../terminal/printable.ts";
import { secretValues } from "./secret-values.ts";

/** What a folder means for a session that begins there. */
interface WorkspaceChoice extends WorkspaceFacts {
  /** Undefined when nobody chose one. */
  readonly model: ChosenModel | undefined;
  /** Undefined: the agent's default. */
  readonly mode: SessionMode | undefined;
  /** Of whatever model; see `usableLevel`. */
  readonly thoughtLevel: ChosenLevel | undefined;
  readonly settings: AgentSettings;
  readonly ignored: Ignored | undefined;
}

/** What a folder brings that does not count, because it is not trusted. */
export interface Ignored {
  /** Its settings, or its whole `.acumen`. */
  readonly path: string;
  /** It was trusted, and is something else by now. */
  readonly changed: boolean;
}

export interface OpenedAgent extends AsyncDisposable {
  readonly agent: CodingAgent;
  readonly loaded: LoadedSettings;
  readonly trust: WorkspaceTrust;
  readonly mcp: McpConfigManager;
  /** @throws MODEL_FAILED, MODEL_SCRIPT_INVALID */
  resolveModel(id: string): Promise<Model>;
  /** @throws AGENT_WORKSPACE_INVALID, AGENT_WORKSPACE_UNTRUSTABLE, CLI_SETTINGS_FILE_INVALID, CLI_SETTING_INVALID */
  readonly workspace: (cwd: string) => Promise<WorkspaceChoice>;
  /** Why no session could begin there, with what the workspace brings; undefined when one could. */
  readonly settingsFault: (workspace: AdmittedWorkspace) => Promise<AcumenError | undefined>;
}

/**
 * Builds the coding agent from settings, keys, flags and environment. The only place where they meet.
 * @throws CLI_SETTINGS_FILE_INVALID, CLI_SETTING_INVALID, CLI_USAGE, CLI_REFUSED_TO_AGENT
 */
export async function openAgent(
  environment: Environment,
  flags: AgentFlags,
  /** Where sessions are kept; default: the home folder. */
  sessionHome?: string,
): Promise<OpenedAgent> {
  const { variables, logLevel } = environment;
  const { trustOnce = false } = flags;
  if (trustOnce) refuseAgent(variables, "--trust-once");
  const loaded = await loadSettings(variables, flags);
  const { folder: home } = loaded.home;
  const trust = new WorkspaceTrust({ home, environment: variables, once: trustOnce });
  const logger = createStderrLogger({ name: "acumen", level: logLevel });
  const layerIn = (workspace: AdmittedWorkspace) =>
    workspaceSettings(workspace, { home: loaded.home, trust });
  const settingsIn = async (workspace: AdmittedWorkspace): Promise<AgentSettings> =>
    sessionSettings(loaded, await layerIn(workspace), flags, DEFAULT_SETTINGS).agent;
  const modelOf = (id: string): Promise<Model> =>
    resolveModel(id, { env: loaded.modelVariables, allowScripted: isSaidByStarter(loaded, id) });
  const mcp = new McpConfigManager({ home, environment: variables, trust });
  const agent = new CodingAgentBuilder({
    home,
    store: new FileSessionStore({ home: sessionHome ?? home, logger }),
    resolveModel: modelOf,
    settingsFor: settingsIn,
    environment: variables,
    trustOnce,
    mcp,
    secrets: secretValues(loaded),
    logger,
  }).build();
  return {
    agent,
    loaded,
    trust,
    mcp,
    resolveModel: modelOf,
    workspace: async (folder) => {
      const { path: cwd, ...admission } = await trust.admit(folder);
      const { trusted } = admission;
      const layer = await layerIn({ cwd, ...admission });
      const { agent: settings, ...choice } = sessionSettings(
        loaded,
        layer,
        flags,
        DEFAULT_SETTINGS,
      );
      return {
        cwd,
        trusted,
        model: modelIn(loaded, layer),
        ...choice,
        settings,
        ignored: trusted ? undefined : await ignoredIn(cwd, admission.changed, loaded),
      };
    },
    settingsFault: async (workspace) => {
      try {
        parsePermissionRules((await settingsIn(workspace)).permissions);
        return undefined;
      } catch (error) {
        if (AcumenError.isInstance(error)) return error;
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

/** Ids that replay a file come from flags and environment of this process alone, not from a stored session. */
function isSaidByStarter({ model }: LoadedSettings, id: string): boolean {
  return model?.id === id && (model.source === "flag" || model.source === "environment");
}

async function ignoredIn(
  cwd: string,
  changed: boolean,
  { home }: Pick<LoadedSettings, "home">,
): Promise<Ignored | undefined> {
  const folder = await workspaceFolder(cwd, home);
  if (folder === undefined) return undefined;
  const { path, settingsPath } = folder;
  const hasSettings = await stat(settingsPath).then(
    () => true,
    () => false,
  );
  if (hasSettings) return { path: settingsPath, changed };
  return changed ? { path, changed } : undefined;
}

/** Such as `… is not read: this workspace is not trusted`, without an end. */
export function ignoredText({ path, changed }: Ignored): string {
  const why = changed ? "changed since it was trusted" : "is not trusted";
  return `${printable(path)} is not read: this workspace ${why}`;
}
