import type { Caller } from "../access/caller.ts";
import type { JsonObject } from "../envelope/json-value.ts";

export interface ListedPage<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

export const TOOL_SOURCES = ["builtin", "mcp"] as const;
type ToolSource = (typeof TOOL_SOURCES)[number];

export interface ListedTool {
  /** `builtin/bash`, `mcp.<server>/tool`. */
  readonly name: string;
  /** As its server spells it, where the name had to be made to fit. */
  readonly raw_name?: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  readonly output_schema: JsonObject | null;
  readonly read_only: boolean;
  readonly source: ToolSource;
  readonly server: string | null;
}

export interface ListedServer {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  /** Name of the project that chose it. */
  readonly project?: string;
}

export interface ToolPage extends ListedPage<ListedTool> {
  /** Of the project's MCP servers, also those whose tools are not there. */
  readonly servers: readonly ListedServer[];
}

/** Key `tool_registry`. */
export interface ToolRegistryService {
  listTools(
    query: {
      readonly namespace?: string;
      readonly query?: string;
      readonly source?: ToolSource;
      readonly project?: string;
      readonly cursor?: string;
      readonly limit: number;
    },
    caller: Caller,
  ): Promise<ToolPage>;
}

export const RESOURCE_TYPES = ["git-checkout", "fs-directory", "skillbook", "mcp-server"] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

export interface ListedResource {
  readonly resource_id: string;
  readonly name: string;
  readonly type_name: ResourceType;
  /** A path, or an address without credentials. */
  readonly location: string;
  readonly details: JsonObject;
}

/** Key `resource_registry_service`. */
export interface ResourceRegistryService {
  listResources(
    query: {
      readonly type_name?: ResourceType;
      readonly name_prefix?: string;
      readonly project?: string;
      readonly cursor?: string;
      readonly limit: number;
    },
    caller: Caller,
  ): Promise<ListedPage<ListedResource>>;
}
