import type { Clock, Logger } from "@acumen/core";
import type { Model } from "@acumen/models";
import { Ace } from "../../runner/ace.ts";
import { buildRoles } from "../../runner/model-resolver.ts";
import { AutosaveStore } from "./autosave.ts";
import type { McpServerConfig } from "./config.ts";
import { McpHandlers } from "./handlers.ts";
import { PathPolicy } from "./paths.ts";
import { SessionRegistry } from "./registry.ts";
import type { RunnerFactory } from "./runner.ts";

const SCRIPTED = /^\s*scripted\//i;

export interface EngineOptions {
  readonly config: McpServerConfig;
  readonly logger: Logger;
  readonly createRunner?: RunnerFactory | undefined;
  /** Where keys and addresses of models are looked up. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
}

/** Everything behind the protocol. This module brings the engine with it, so it is imported with the first call only. */
export interface McpEngine {
  readonly handlers: McpHandlers;
  readonly registry: SessionRegistry;
}

export function createEngine(options: EngineOptions): McpEngine {
  const { config, logger, clock, createRunner = aceRunner(options) } = options;
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

/** The engine's own runners. They reject with MODEL_FAILED when the model cannot be built. */
export function aceRunner({ config, env }: Pick<EngineOptions, "config" | "env">): RunnerFactory {
  const script = sharedModel();
  return async ({ model, ...settings }, { skillbook, logger, session }) => {
    // Scripts are files: only the process that starts the server may name one. The wire was refused one before; this holds
    // even so.
    const allowScripted = model === config.defaultModel;
    const roles = await buildRoles(model, {
      ...settings,
      logger,
      ...(env !== undefined && { env }),
      ...(session !== undefined && { session }),
      allowScripted,
      // A session's place in the script outlives its runner and its expiry. Recordings stay apart: sessions that ask alike
      // would use up each other's answers.
      ...(allowScripted && SCRIPTED.test(model) && { openModel: script }),
    });
    return Ace.fromRoles(roles, { skillbook, logger });
  };
}

/** One model for all who ask, opened at first use; a failure is not kept. */
function sharedModel(): (open: () => Promise<Model>) => Promise<Model> {
  let model: Promise<Model> | undefined;
  return (open) =>
    (model ??= open().catch((error: unknown) => {
      model = undefined;
      throw error;
    }));
}

function autosaveStore(config: McpServerConfig): AutosaveStore | undefined {
  const { autosave, skillbookRoot: root, sessionNamespace: namespace } = config;
  return autosave && root !== undefined ? new AutosaveStore({ root, namespace }) : undefined;
}
