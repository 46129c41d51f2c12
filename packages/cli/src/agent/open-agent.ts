import { stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type AgentSettings,
  type CodingAgent,
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  FileSessionStore,
  type SessionMode,
  type WorkspaceFacts,
  WorkspaceTrust,
} from "@acumen/agent";
import { createStderrLogger } from "@acumen/core";
import { type Model, resolveModel } from "@acumen/models";
import type { Environment } from "../environment.ts";
import {
  type ChosenModel,
  type LoadedSettings,
  loadSettings,
  modelIn,
} from "../settings/load-settings.ts";
import { sessionSettings } from "../settings/session-settings.ts";
import { readWorkspaceSettings } from "../settings/settings-file.ts";
import type { WorkspaceSettings } from "../settings/settings-schema.ts";
import type { AgentFlags } from "./agent-flags.ts";
import { secretValues } from "./secret-values.ts";

/** What a folder means for a session that begins there. */
interface WorkspaceChoice extends WorkspaceFacts {
  /** Undefined when nobody chose one. */
  readonly model: ChosenModel | undefined;
  /** Undefined: the agent's default. */
  readonly mode: SessionMode | undefined;
  readonly settings: AgentSettings;
  /** The folder brings settings that do not count, because it is not trusted. */
  readonly ignoredSettings: string | undefined;
}

export interface OpenedAgent extends AsyncDisposable {
  readonly agent: CodingAgent;
  readonly loaded: LoadedSettings;
  readonly trust: WorkspaceTrust;
  /** @throws MODEL_FAILED, MODEL_SCRIPT_INVALID */
  resolveModel(id: string): Promise<Model>;
  /** @throws AGENT_WORKSPACE_INVALID, CLI_SETTINGS_FILE_INVALID, CLI_SETTING_INVALID */
  readonly workspace: (cwd: string) => Promise<WorkspaceChoice>;
}

/**
 * Builds the coding agent from settings, keys, flags and environment. The only place where they meet.
 * @throws CLI_SETTINGS_FILE_INVALID, CLI_SETTING_INVALID, CLI_USAGE
 */
export async function openAgent(environment: Environment, flags: AgentFlags): Promise<OpenedAgent> {
  const { variables, logLevel } = environment;
  const loaded = await loadSettings(variables, flags);
  const { folder: home } = loaded.home;
  const trust = new WorkspaceTrust({ home, environment: variables });
  const logger = createStderrLogger({ name: "acumen", level: logLevel });
  const layersIn = async ({ cwd, trusted }: WorkspaceFacts): Promise<WorkspaceSettings> =>
    trusted ? readWorkspaceSettings(settingsPathIn(cwd)) : {};
  const modelOf = (id: string): Promise<Model> =>
    resolveModel(id, { env: loaded.modelVariables, allowScripted: isSaidByStarter(loaded, id) });
  const agent = new CodingAgentBuilder({
    home,
    store: new FileSessionStore({ home, logger }),
    resolveModel: modelOf,
    settingsFor: async (facts) =>
      sessionSettings(loaded, await layersIn(facts), flags, DEFAULT_SETTINGS).agent,
    environment: variables,
    trustOnce: flags.trustOnce === true,
    secrets: secretValues(loaded),
    logger,
  }).build();
  return {
    agent,
    loaded,
    trust,
    resolveModel: modelOf,
    workspace: async (folder) => {
      const { path: cwd, state } = await trust.check(folder);
      const facts = { cwd, trusted: flags.trustOnce === true || state === "trusted" };
      const layer = await layersIn(facts);
      const ignored = facts.trusted ? undefined : await existing(settingsPathIn(cwd));
      const { mode, agent: settings } = sessionSettings(loaded, layer, flags, DEFAULT_SETTINGS);
      return {
        ...facts,
        model: modelIn(loaded, layer),
        mode,
        settings,
        ignoredSettings: ignored,
      };
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

/** Ids that replay a file come from flags and environment of this process alone, not from a stored session. */
function isSaidByStarter({ model }: LoadedSettings, id: string): boolean {
  return model?.id === id && (model.source === "flag" || model.source === "environment");
}

function settingsPathIn(cwd: string): string {
  return join(cwd, ".acumen", "config.json");
}

async function existing(path: string): Promise<string | undefined> {
  return stat(path).then(
    () => path,
    () => undefined,
  );
}
