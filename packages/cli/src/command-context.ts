import type { Environment } from "./environment.ts";
import type { TextStream } from "./terminal/terminal.ts";

/** What is typed or piped in. */
export type InputStream = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  destroy?(): unknown;
};

/** How a command ended when that was no error: a turn may end blocked, or at a limit. */
export interface CommandEnding {
  exitCode: number;
  /** The last line for machines is written already, also when an error follows. */
  resultWritten: boolean;
}

/** What a command gets from the process that runs it. */
export interface CommandContext {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Asked for by the commands that read; opening it costs the others nothing. */
  readonly stdin: () => InputStream;
  readonly environment: Environment;
  /** Aborts with a coded reason when a signal asks the process to end. */
  readonly signal: AbortSignal;
  readonly ending: CommandEnding;
  /** Ends the process although work is left; absent where others live in it. */
  readonly exit?: (code?: number) => void;
}
