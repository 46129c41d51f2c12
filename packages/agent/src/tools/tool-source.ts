import type { Tool } from "./tool.ts";

/** Tools that come from outside the package and may change while a session runs, such as those of MCP servers. */
export interface ToolSource {
  /** The tools of this moment with the names under which the model calls them; taken anew before each model call. */
  tools(): readonly { readonly exposedName: string; readonly tool: Tool }[];
  /** Waits until every tool that can be there soon is there; called once, before a session's first model call. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Leaves a tool out from now on, because a model's service refuses requests that hold it. False: it is none of this source's.
   */
  quarantine?(exposedName: string, reason: string): boolean;
  /** Why a tool that a model had by this name before is not there. Undefined: it never was one of this source's. */
  explain?(exposedName: string): string | undefined;
  close(): Promise<void>;
}
