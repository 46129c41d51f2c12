import type { Caller } from "../access/caller.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import type { ListedTool, ToolRegistryService } from "../services/registries.ts";
import { type Candidate, type Collected, formOf } from "./candidate.ts";
import { headOf } from "./well-formed.ts";

const LIMIT = 200;
const MOST_CHARS = 200;

/** What a plan in the project may call: the agent's own tools, and those of servers, which say themselves what they do. */
export async function toolFragments(
  tools: ToolRegistryService | undefined,
  project: Project,
  caller: Caller,
): Promise<Collected> {
  if (tools === undefined) return { candidates: [] };
  const { items } = await tools.listTools({ project: project.path, limit: LIMIT }, caller);
  const kinds = [
    { kind: "builtin", title: "Built-in tools", trust: "trusted" },
    { kind: "mcp", title: "Tools of MCP servers", trust: "untrusted" },
  ] as const;
  return {
    candidates: kinds.flatMap(({ kind, title, trust }): readonly Candidate[] => {
      const own = items.filter(({ source }) => source === kind);
      if (own.length === 0) return [];
      const part = { uri: `tools:${kind}`, title };
      const names = own.map(({ name }) => name).join(", ");
      return [
        {
          source: "tools",
          group: "history",
          uri: part.uri,
          score: 0.7,
          trust,
          forms: [
            formOf("full", [{ ...part, content: own.map(line).join("\n") }]),
            formOf("reference", [{ ...part, content: names }]),
          ],
        },
      ];
    }),
  };
}

function line({ name, description }: ListedTool): string {
  const text = description.replaceAll(/\s+/g, " ");
  return `${name}: ${headOf(text, MOST_CHARS)}`;
}
