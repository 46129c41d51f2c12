import { z } from "zod";
import { RESOURCE_TYPES } from "../services/registries.ts";
import { nextCursor, pageParams, projectParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";

export const registryListResources = defineOperation({
  name: "registry.list_resources",
  summary: "Projects, skillbooks and MCP servers that are known here.",
  params: z.strictObject({
    ...pageParams,
    type_name: z.enum(RESOURCE_TYPES).exactOptional(),
    /** Of this project: itself, its skillbook, and the servers that it chose. */
    project: projectParam.exactOptional(),
    name_prefix: z.string().min(1).max(190).exactOptional(),
  }),
  output: z.looseObject({
    resources: z.array(
      z.looseObject({ resource_id: z.string(), name: z.string(), type_name: z.string() }),
    ),
    next_cursor: nextCursor,
  }),
  scope: "registry:read",
  mutating: false,
  run: async (params, context) => {
    const page = await context.services
      .get("resource_registry_service")
      .listResources(params, context);
    return {
      resources: page.items.map((resource) => ({ ...resource })),
      next_cursor: page.next_cursor ?? null,
    };
  },
});
