import type { Tool } from "./tool.ts";

/** Tools that come from outside the package and may change while a session runs, such as those of MCP servers. */
export interface ToolSource {
  /** The tools of this moment with the names under which the model calls them; taken anew before each model call. */
  tools(): readonly { readonly exposedName: string; readonly tool: Tool }[];
  /** Waits until every tool that can be there soon is there; called once, before a session's first model call. */
  ready(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
