import { AcumenError, type Clock, type Logger, silentLogger } from "@acumen/core";
import type { Answer } from "../../../../src/integrations/mcp/call.ts";
import { type McpServerConfig, parseConfig } from "../../../../src/integrations/mcp/config.ts";
import { createEngine, type McpEngine } from "../../../../src/integrations/mcp/engine.ts";
import type { RunnerFactory } from "../../../../src/integrations/mcp/runner.ts";
import type { ToolName } from "../../../../src/integrations/mcp/tool-names.ts";

export interface TestEngineOptions {
  readonly config?: Partial<McpServerConfig>;
  readonly createRunner?: RunnerFactory;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TestEngine extends McpEngine {
  call(tool: ToolName, args: unknown, signal?: AbortSignal): Promise<Answer<ToolName>>;
  /** The reply alone. */
  reply(tool: ToolName, args: unknown): Promise<Record<string, unknown>>;
  /** The coded error of a call that must fail. */
  failure(tool: ToolName, args: unknown): Promise<AcumenError>;
}

/** Defaults of the documentation, with `builtin/recall` as the model. */
export function testConfig(overrides: Partial<McpServerConfig> = {}): McpServerConfig {
  return { ...parseConfig({}), defaultModel: "builtin/recall", ...overrides };
}

/** The handlers without any protocol around them. */
export function testEngine(options: TestEngineOptions = {}): TestEngine {
  const { config, logger = silentLogger, ...rest } = options;
  // No key of the machine that runs the tests.
  const engine = createEngine({ env: {}, ...rest, logger, config: testConfig(config) });
  const call: TestEngine["call"] = async (tool, args, signal = new AbortController().signal) =>
    await engine.handlers.call(tool, args, { signal });
  return {
    ...engine,
    call,
    reply: async (tool, args) => ({ ...(await call(tool, args)).reply }),
    failure: async (tool, args) => {
      const error: unknown = await call(tool, args).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (AcumenError.isInstance(error)) return error;
      throw new Error(`${tool} should have failed with a coded error`, { cause: error });
    },
  };
}
