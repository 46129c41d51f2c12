import type { CommandContext } from "../command-context.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { AddWords } from "./server-words.ts";

/** What a subcommand of `acumen mcp` has to do its work with. */
export interface McpTask {
  readonly context: CommandContext;
  /** On stdout; silent under `--json`. */
  readonly terminal: Terminal;
  /** Nothing is asked, and nothing but the record is written. */
  readonly json: boolean;
  /** Absolute. */
  readonly workspace: string;
  /** The workspace counts as trusted, for this command alone. */
  readonly trustOnce?: boolean;
}

export interface TestFlags {
  /** Instead of what the definition says; milliseconds. */
  readonly startupTimeout?: number;
}

export interface AddFlags extends AddWords {
  readonly force?: boolean;
  readonly enable: boolean;
}
