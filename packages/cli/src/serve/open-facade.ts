import { createRedactor, type WorkspaceTrust } from "@acumen/agent";
import { AcumenError, createStderrLogger, type Logger } from "@acumen/core";
import {
  AcpEventQueue,
  AcpLocalFacade,
  AgentPlanExecutor,
  createLocalServices,
  EphemeralPlace,
  type FacadeStore,
  type LocalServices,
} from "@acumen/facade";
import { openAgent, type OpenedAgent } from "../agent/open-agent.ts";
import { secretValues } from "../agent/secret-values.ts";
import type { Environment } from "../environment.ts";
import { homeOf } from "../settings/home.ts";
import type { SettingFlags } from "../settings/load-settings.ts";
import { projectServers } from "./project-servers.ts";

export interface FacadeFlags extends SettingFlags {
  /** Absent: the working directory. */
  readonly project?: readonly string[];
  readonly allowModel?: readonly string[];
  readonly allowUnisolated?: boolean;
  /** Commands of plans use the network from within their isolation. */
  readonly allowNetwork?: boolean;
  readonly trustOnce?: boolean;
}

export interface OpenedFacade extends AsyncDisposable {
  readonly facade: AcpLocalFacade;
  readonly local: LocalServices;
  readonly store: FacadeStore;
  /** Why plans that name no model would fail; undefined when they have one. */
  readonly modelFault: string | undefined;
}

/**
 * The facade with the coding agent behind it: settings, keys, trust and MCP servers of this machine meet here. Plans that an earlier
 * process left go on.
 * @throws as {@link openAgent}; FACADE_CONFIGURATION_ERROR, MODEL_SCRIPT_INVALID
 */
export async function openFacade(
  environment: Environment,
  flags: FacadeFlags,
  store: FacadeStore,
): Promise<OpenedFacade> {
  const { variables, logLevel } = environment;
  const {
    project: projects = [process.cwd()],
    allowUnisolated = false,
    allowNetwork,
    allowModel,
  } = flags;
  // Sessions of plans in memory go where their sandboxes are, and end with them.
  const place = EphemeralPlace.of(store, homeOf(variables).folder);
  const opened = await openAgent(environment, flags, place?.path);
  const { agent, loaded, trust, mcp } = opened;
  const modelFault = await modelFaultOf(opened);
  const logger = createStderrLogger({ name: "acumen", level: logLevel });
  const redact = createRedactor(secretValues(loaded));
  const model = loaded.model?.id;
  // What cannot be trusted although that was asked for is said now, and ends nothing later.
  if (flags.trustOnce === true) for (const project of projects) await trust.admit(project);
  const queue = new AcpEventQueue({ store, logger });
  const local = createLocalServices({
    store,
    queue,
    projects,
    home: loaded.home.folder,
    environment: variables,
    isTrusted: trustIn(trust, logger),
    executor: new AgentPlanExecutor({
      agentFor: () => agent,
      models: model === undefined ? {} : { strategy: model, execution: model },
      mcpServersFor: (project) => projectServers(mcp, project.path),
      allowUnisolated,
      commandNetwork: allowNetwork === true,
      redact,
    }),
    mcp: {
      definitions: mcp,
      environment: variables,
      redact,
      // Tools are listed here and never called.
      outputFolder: async () => loaded.home.folder,
    },
    settings: { allowUnisolated, ...(allowModel !== undefined && { allowedModels: allowModel }) },
    redact,
    logger,
  });
  // Folders and git are looked at once before anything is promised.
  await local.isolation();
  await local.projects.list();
  await place?.make();
  await local.plans.start();
  const facade = new AcpLocalFacade({ services: local.services, store, logger });
  return {
    facade,
    local,
    store,
    modelFault,
    [Symbol.asyncDispose]: async () => {
      await local.plans.close();
      await local.close();
      await queue.close();
      await opened[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

/** @throws MODEL_SCRIPT_INVALID for a file that cannot be replayed: nothing else than what was said is there to take */
async function modelFaultOf(opened: OpenedAgent): Promise<string | undefined> {
  const { model } = opened.loaded;
  if (model === undefined) return "no model is set";
  try {
    await opened.resolveModel(model.id);
    return undefined;
  } catch (error) {
    const isCoded = AcumenError.isInstance(error);
    if (!isCoded || error.code === "MODEL_SCRIPT_INVALID") throw error;
    return error.message;
  }
}

/** A workspace that cannot be looked at any more, or not be trusted as it is now, holds up no other; each reason is said once. */
function trustIn(trust: WorkspaceTrust, logger: Logger): (path: string) => Promise<boolean> {
  const said = new Map<string, string>();
  return async (path) => {
    try {
      return (await trust.admit(path)).trusted;
    } catch (error) {
      if (!AcumenError.isInstance(error)) throw error;
      const { message: reason } = error;
      if (said.get(path) !== reason) logger.warn("a project is not trusted", { path, reason });
      said.set(path, reason);
      return false;
    }
  };
}
