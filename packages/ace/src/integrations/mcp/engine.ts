import type { Clock, Logger } from "@acumen/core";
import { Ace } from "../../runner/ace.ts";
import { AutosaveStore } from "./autosave.ts";
import type { McpServerConfig } from "./config.ts";
import { McpHandlers } from "./handlers.ts";
import { PathPolicy } from "./paths.ts";
import { SessionRegistry } from "./registry.ts";
import type { RunnerFactory } from "./runner.ts";

export interface EngineOptions {
  readonly config: McpServerConfig;
  readonly logger: Logger;
  readonly createRunner?: RunnerFactory | undefined;
  readonly clock?: Clock | undefined;
}

/** Everything behind the protocol. This module brings the engine with it, so it is imported with the first call only. */
export interface McpEngine {
  readonly handlers: McpHandlers;
  readonly registry: SessionRegistry;
}

export function createEngine(options: EngineOptions): McpEngine {
  const { config, logger, clock, createRunner = aceRunner } = options;
  const registry = new SessionRegistry({
    ttlSeconds: config.sessionTtlSeconds,
    maxSessions: config.maxSessions,
    logger,
    clock,
    store: autosaveStore(config),
  });
  const paths = new PathPolicy(config.skillbookRoot);
  const handlers = new McpHandlers({ config, registry, paths, createRunner, logger });
  return { handlers, registry };
}

/** The engine's own runner for a model id. Rejects with ACE_MODEL_FAILED. */
export const aceRunner: RunnerFactory = async (settings, { skillbook, logger }) => {
  const { model, ...modelSettings } = settings;
  return await Ace.fromModel(model, { ...modelSettings, skillbook, logger });
};

function autosaveStore(config: McpServerConfig): AutosaveStore | undefined {
  const { autosave, skillbookRoot: root, sessionNamespace: namespace } = config;
  return autosave && root !== undefined ? new AutosaveStore({ root, namespace }) : undefined;
}
