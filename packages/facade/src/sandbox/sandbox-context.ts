import type { Clock, Logger } from "@acumen/core";
import type { GitCommand } from "../git/git-command.ts";
import type { Isolation } from "./isolation.ts";
import type { Trash } from "./trash.ts";

/** What every part of the sandboxes needs. */
export interface SandboxContext {
  /** `$ACUMEN_HOME`, real. */
  readonly home: string;
  /** Where sandboxes lie, real. */
  readonly root: string;
  /** Folders of ours that no command of a plan sees. */
  readonly hidden: readonly string[];
  readonly git: GitCommand;
  readonly isolation: Isolation;
  readonly trash: Trash;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For tests: told of each point at which a crash could come between two steps. */
  readonly faults?: (point: FaultPoint) => void;
}

/** In the order in which an apply passes them. */
export type FaultPoint =
  | "merged"
  | "announced"
  | "handed_over"
  | "journal"
  | "temp"
  | "file"
  | "moved";
