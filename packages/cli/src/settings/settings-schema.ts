import { MODEL_PREFIXES } from "@acumen/models/catalogue";
import { z } from "zod";
import { addressFault } from "./address-fault.ts";
import {
  environmentSchema,
  learningSchema,
  limitsSchema,
  modelSchema,
  modeSchema,
  permissionsSchema,
  thoughtLevelSchema,
  workspacePermissionsSchema,
} from "./session-schemas.ts";

/** No value is ever repeated in a message: people paste addresses with a password in them. */
const addressSchema = z
  .string()
  .superRefine((text, context) => {
    const fault = addressFault(text);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  })
  .meta({ description: "http or https URL without user name, password and query." });

const schemaAddress = z
  .string()
  .meta({ description: "Address of this schema, for editors; not read." })
  .exactOptional();

const model = modelSchema
  .meta({
    description:
      "Model that commands use: an id in LiteLLM's style (`acumen models` lists them), or `builtin/recall`.",
    examples: ["anthropic/claude-sonnet-4-5", "ollama/qwen3", "builtin/recall"],
  })
  .exactOptional();

/**
 * The file `$ACUMEN_HOME/config.json`. The only source of its JSON Schema and of the table in docs/configuration.md.
 * Keys have no place in it.
 */
export const settingsSchema = z
  .strictObject({
    $schema: schemaAddress,
    model,
    thoughtLevel: thoughtLevelSchema.exactOptional(),
    mode: modeSchema.exactOptional(),
    permissions: permissionsSchema.exactOptional(),
    limits: limitsSchema.exactOptional(),
    learning: learningSchema.exactOptional(),
    env: environmentSchema.exactOptional(),
    mcp: z
      .strictObject({
        inherit: z
          .boolean()
          .meta({
            description:
              "Whether a session of an editor has the MCP servers that its folder enables beside those that the editor brings. Default true.",
          })
          .exactOptional(),
      })
      .meta({ description: "MCP servers of sessions." })
      .exactOptional(),
    endpoints: z
      .strictObject(
        Object.fromEntries(MODEL_PREFIXES.map((prefix) => [prefix, addressSchema.exactOptional()])),
      )
      .meta({
        description:
          "Addresses of providers, by the prefix of their model ids; for local servers and gateways. The provider's own variables (`OLLAMA_BASE_URL`, …) win.",
        examples: [{ ollama: "http://127.0.0.1:11434" }],
      })
      .exactOptional(),
  })
  .meta({
    title: "Acumen settings",
    description: "Settings of the acumen command; JSON with comments.",
  });

export type Settings = z.infer<typeof settingsSchema>;

/** The file `.acumen/config.json` of a trusted workspace: whatever a repository may decide, and nothing that grants rights. */
export const workspaceSettingsSchema = z.strictObject({
  $schema: schemaAddress,
  model,
  thoughtLevel: thoughtLevelSchema.exactOptional(),
  permissions: workspacePermissionsSchema.exactOptional(),
  limits: limitsSchema.exactOptional(),
});

export type WorkspaceSettings = z.infer<typeof workspaceSettingsSchema>;

/** JSON Schema (draft 2020-12) of the settings file; `docs/schemas/config.schema.json`. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(settingsSchema, { target: "draft-2020-12", io: "input" });
}
