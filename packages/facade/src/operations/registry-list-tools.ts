import { z } from "zod";
import { TOOL_SOURCES } from "../services/registries.ts";
import { nextCursor, pageParams, projectParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";

export const registryListTools = defineOperation({
  name: "registry.list_tools",
  summary: "Tools that plans of a project may use, with their schemas.",
  params: z.strictObject({
    ...pageParams,
    /** `builtin`, `mcp` or `mcp.<server>`; one that nobody has gives an empty list. */
    namespace: z.string().min(1).max(190).exactOptional(),
    /** Part of a name or description. */
    query: z.string().min(1).max(200).exactOptional(),
    source: z.enum(TOOL_SOURCES).exactOptional(),
    project: projectParam.exactOptional(),
  }),
  output: z.looseObject({
    tools: z.array(z.looseObject({ name: z.string(), description: z.string() })),
    next_cursor: nextCursor,
  }),
  scope: "registry:read",
  mutating: false,
  run: async (params, context) => {
    const page = await context.services.get("tool_registry").listTools(params, context);
    const { items, next_cursor: cursor, servers } = page;
    return {
      tools: items.map((tool) => ({ ...tool })),
      servers: (servers ?? []).map((server) => ({ ...server })),
      next_cursor: cursor ?? null,
    };
  },
});
