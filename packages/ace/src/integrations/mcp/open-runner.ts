import type { Logger } from "@acumen/core";
import type { SessionConfig } from "./models.ts";
import { redact } from "./redact.ts";
import type { RunnerFactory, RunnerSettings, SessionRunner } from "./runner.ts";
import type { Session } from "./session.ts";

/** `_meta["acumen/session"]` of a reply: which model the session uses, and whether a `session_config` came too late. */
export interface SessionMeta {
  readonly model: string;
  readonly ignored?: true;
}

export interface RunnerSource {
  readonly createRunner: RunnerFactory;
  readonly defaultModel: string;
  readonly logger: Logger;
}

/**
 * The session's runner, built when there is none. The first build decides the model; it also makes the session last.
 * Rejects with MODEL_FAILED.
 */
export async function openRunner(
  session: Session,
  config: SessionConfig | undefined,
  source: RunnerSource,
): Promise<{ readonly runner: SessionRunner; readonly meta: SessionMeta }> {
  const late = session.settings !== undefined && config !== undefined;
  const settings = session.settings ?? settingsOf(config, source.defaultModel);
  session.runner ??= await source.createRunner(settings, {
    skillbook: session.skillbook,
    logger: source.logger,
    session: session.id,
  });
  session.settings = settings;
  session.establish();
  return {
    runner: session.runner,
    meta: { model: redact(settings.model), ...(late && { ignored: true }) },
  };
}

function settingsOf(config: SessionConfig | undefined, defaultModel: string): RunnerSettings {
  const { model = defaultModel, temperature, max_tokens: maxTokens } = config ?? {};
  return {
    model,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}
