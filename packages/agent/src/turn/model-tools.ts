import type { ModelRequest } from "@acumen/models";
import type { ExposedTool } from "../tools/tool-registry.ts";

/** Tools in the form of the provider interface. */
export function modelTools(tools: readonly ExposedTool[]): NonNullable<ModelRequest["tools"]> {
  return tools.map(({ exposedName, tool: { description, inputSchema } }) => ({
    type: "function",
    name: exposedName,
    description,
    inputSchema,
  }));
}
