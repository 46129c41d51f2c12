import type { Caller } from "../access/caller.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import type { ListedServer, ListedTool, ToolRegistryService } from "../services/registries.ts";
import { type Candidate, type Collected, formOf } from "./candidate.ts";
import { headOf } from "./well-formed.ts";

const PAGE = 200;
/** More than any model is given. */
const MOST_TOOLS = 2_000;
const MOST_CHARS = 200;
const MOST_NAMES = 100;

/** What a plan in the project may call: the agent's own tools, and those of servers, which say themselves what they do. */
export async function toolFragments(
  tools: ToolRegistryService | undefined,
  project: Project,
  caller: Caller,
): Promise<Collected> {
  if (tools === undefined) return { candidates: [] };
  const { items, servers, isCut } = await allTools(tools, project, caller);
  const kinds = [
    { kind: "builtin", title: "Built-in tools", trust: "trusted" },
    { kind: "mcp", title: "Tools of MCP servers", trust: "untrusted" },
    { kind: "other", title: "Other tools", trust: "untrusted" },
  ] as const;
  return {
    candidates: kinds.flatMap(({ kind, title, trust }): readonly Candidate[] => {
      const own = items.filter((tool) => kindOf(tool) === kind);
      if (own.length === 0) return [];
      const part = { uri: `tools:${kind}`, title };
      const names = own.slice(0, MOST_NAMES).map(({ name }) => name);
      const more = own.length > MOST_NAMES ? [`and ${own.length - MOST_NAMES} more`] : [];
      return [
        {
          source: "tools",
          group: "history",
          uri: part.uri,
          score: 0.7,
          trust,
          forms: [
            formOf("full", [{ ...part, content: own.map(line).join("\n") }]),
            formOf("excerpt", [{ ...part, content: [...names, ...more].join(", ") }]),
            formOf("reference", [{ ...part, content: `${own.length} tools` }]),
          ],
        },
      ];
    }),
    warnings: [
      ...servers.filter(({ state }) => state !== "connected").map(absent),
      ...(isCut ? [`There are more than ${MOST_TOOLS} tools; the rest is left out.`] : []),
    ],
  };
}

async function allTools(tools: ToolRegistryService, project: Project, caller: Caller) {
  const items: ListedTool[] = [];
  const servers = new Map<string, ListedServer>();
  let cursor: string | null | undefined;
  do {
    const query = { project: project.path, limit: PAGE };
    const page = await tools.listTools({ ...query, ...(cursor && { cursor }) }, caller);
    items.push(...page.items);
    for (const server of page.servers ?? []) servers.set(server.name, server);
    // A user's own registry may know no pages.
    cursor = page.next_cursor ?? null;
  } while (cursor !== null && items.length < MOST_TOOLS);
  return {
    items: items.slice(0, MOST_TOOLS),
    servers: [...servers.values()],
    isCut: cursor !== null,
  };
}

/** A user's own registry need not say whose a tool is. */
function kindOf({ source }: Partial<ListedTool>): "builtin" | "mcp" | "other" {
  return source ?? "other";
}

function absent({ name, state, reason }: ListedServer): string {
  return `The tools of the server ${headOf(name, MOST_CHARS)} are not in this context: ${reason ?? state}`;
}

function line({ name, description }: ListedTool): string {
  const text = description.replaceAll(/\s+/g, " ");
  return `${name}: ${headOf(text, MOST_CHARS)}`;
}
