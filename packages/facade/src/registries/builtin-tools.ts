import { tmpdir } from "node:os";
import { createBuiltinTools, createRedactor, openWorkspace, ReadLedger } from "@acumen/agent";
import type { JsonObject } from "../envelope/json-value.ts";
import type { ListedTool } from "../services/registries.ts";

/** The coding agent's own tools as a model sees them; nothing is started, and nothing of a project is looked at. */
export async function builtinTools(): Promise<readonly ListedTool[]> {
  const workspace = await openWorkspace({ cwd: tmpdir() });
  const builtins = createBuiltinTools(workspace, {
    environment: {},
    redact: createRedactor(),
    outputFolder: () => Promise.reject(new Error("Nothing is called.")),
    beforeWrite: () => Promise.reject(new Error("Nothing is called.")),
    reads: new ReadLedger(),
  });
  try {
    return builtins.tools.map(({ name, description, inputSchema, risk }) => ({
      name: `builtin/${name}`,
      raw_name: name,
      description,
      input_schema: inputSchema as JsonObject,
      output_schema: null,
      read_only: risk === "read",
      source: "builtin",
      server: null,
    }));
  } finally {
    await builtins.close();
  }
}
