import type { ExposedTool } from "@acumen/agent";
import type { Caller } from "../access/caller.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type {
  ListedServer,
  ListedTool,
  ToolPage,
  ToolRegistryService,
} from "../services/registries.ts";
import { builtinTools } from "./builtin-tools.ts";
import type { McpServers, ServedTools } from "./mcp-servers.ts";
import { pageOf } from "./page-of.ts";
import { mcpNamespace, toolPart } from "./tool-name.ts";

export interface ToolCatalogOptions {
  readonly projects: ProjectRegistry;
  /** Absent: built-in tools alone. */
  readonly servers?: McpServers;
}

type ToolQuery = Parameters<ToolRegistryService["listTools"]>[0];

const NOTHING: ServedTools = { tools: [], servers: [] };
const BUILTIN = "builtin";

/** The agent's own tools, and those of the servers that the projects chose. */
export class ToolCatalog implements ToolRegistryService {
  readonly #options: ToolCatalogOptions;
  #builtins: Promise<readonly ListedTool[]> | undefined;

  constructor(options: ToolCatalogOptions) {
    this.#options = options;
  }

  async listTools(query: ToolQuery, caller: Caller): Promise<ToolPage> {
    const { namespace, query: text, source } = query;
    const served = await this.#served(query, caller);
    const mcp = served.flatMap(({ tools }) => tools.map(listed));
    const all = unique([...(await this.#own()), ...mcp]);
    const found = all
      .filter((tool) => isIn(tool, namespace) && mentions(tool, text))
      .filter((tool) => source === undefined || tool.source === source);
    const servers = served.flatMap((one) => one.servers).filter((one) => isServed(one, namespace));
    return { ...pageOf(found, query, ({ name }) => name), servers };
  }

  async #served({ namespace, project, source }: ToolQuery, { signal }: Caller) {
    const { projects, servers } = this.#options;
    const chosen = project === undefined ? await projects.list() : [await projects.find(project)];
    // Whoever asks for other tools does not wait for servers, and starts none.
    const isAsked = namespace === undefined || namespace === "mcp" || namespace.startsWith("mcp.");
    if (!isAsked || source === "builtin" || servers === undefined) return [NOTHING];
    return Promise.all(chosen.map((one) => servers.of(one, signal)));
  }

  #own(): Promise<readonly ListedTool[]> {
    this.#builtins ??= builtinTools().catch((error: unknown) => {
      this.#builtins = undefined;
      throw error;
    });
    return this.#builtins;
  }
}

function listed({ tool }: ExposedTool): ListedTool {
  const { origin, name, description, inputSchema, outputSchema } = tool;
  const server = origin.type === "mcp" ? origin.server : "";
  return {
    name: `${mcpNamespace(server)}/${toolPart(name)}`,
    raw_name: name,
    description,
    input_schema: inputSchema as JsonObject,
    output_schema: (outputSchema as JsonObject | undefined) ?? null,
    read_only: origin.type === "mcp" && origin.trustedReadOnly,
    source: "mcp",
    server,
  };
}

/** Projects that chose the same server have the same tools. */
function unique(tools: readonly ListedTool[]): readonly ListedTool[] {
  const byName = new Map<string, ListedTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}

function isIn({ name }: ListedTool, namespace: string | undefined): boolean {
  if (namespace === undefined) return true;
  const own = name.slice(0, name.indexOf("/"));
  return own === namespace || (namespace === "mcp" && own !== BUILTIN);
}

function isServed({ name }: ListedServer, namespace: string | undefined): boolean {
  return namespace === undefined || namespace === "mcp" || mcpNamespace(name) === namespace;
}

function mentions({ name, raw_name: raw = "", description }: ListedTool, text = ""): boolean {
  const wanted = text.toLowerCase();
  return [name, raw, description].some((part) => part.toLowerCase().includes(wanted));
}
