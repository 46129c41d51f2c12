import type { Environment } from "./environment.ts";
import type { TextStream } from "./terminal/terminal.ts";

/** What a command gets from the process that runs it. */
export interface CommandContext {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly environment: Environment;
  /** Aborts with a coded reason when a signal asks the process to end. */
  readonly signal: AbortSignal;
}
