import type { Clock, Logger } from "@acumen/core";
import type { GitCommand } from "../git/git-command.ts";
import type { Isolation } from "./isolation.ts";

/** What every part of the sandboxes needs. */
export interface SandboxContext {
  /** `$ACUMEN_HOME`. */
  readonly home: string;
  /** Where sandboxes lie. */
  readonly root: string;
  readonly git: GitCommand;
  readonly isolation: Isolation;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
}
