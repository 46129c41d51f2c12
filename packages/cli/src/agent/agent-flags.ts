import type { SettingFlags } from "../settings/load-settings.ts";
import type { SessionFlags } from "../settings/session-settings.ts";

/** What the command line says to the agent. */
export interface AgentFlags extends SettingFlags, SessionFlags {
  /** Trust every workspace, in this process only. */
  readonly trustOnce?: boolean;
}
