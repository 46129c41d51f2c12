import type { Logger } from "@acumen/core";
import type { McpServerConfig } from "./config.ts";
import type { Replies } from "./models.ts";
import type { PathPolicy } from "./paths.ts";
import type { SendProgress } from "./progress.ts";
import type { SessionRegistry } from "./registry.ts";
import type { RunnerFactory } from "./runner.ts";
import type { ToolName } from "./tool-names.ts";

/** What all handlers work with. */
export interface HandlerDeps {
  readonly config: McpServerConfig;
  readonly registry: SessionRegistry;
  readonly paths: PathPolicy;
  readonly createRunner: RunnerFactory;
  readonly logger: Logger;
}

/** What comes with one call beside its arguments. */
export interface CallContext {
  /** Aborts when the client cancels or goes away. */
  readonly signal: AbortSignal;
  /** Present when the client asked for progress. */
  readonly sendProgress?: SendProgress | undefined;
}

/** A reply in the contract's shape, and facts beside it for `_meta`. */
export interface Answer<Tool extends ToolName> {
  readonly reply: Replies[Tool];
  readonly meta?: Readonly<Record<string, unknown>>;
}
