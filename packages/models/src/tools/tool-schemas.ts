import type { LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { WireTraits } from "../providers/opened-model.ts";
import { googleSchema } from "./google-schema.ts";
import { anthropicSchema, openAiSchema } from "./json-schema-tools.ts";
import type { SchemaNode } from "./schema-node.ts";

type Tools = NonNullable<LanguageModelV3CallOptions["tools"]>;

const CONVERTERS: Readonly<
  Record<NonNullable<WireTraits["toolSchemas"]>, (schema: SchemaNode) => SchemaNode>
> = {
  anthropic: anthropicSchema,
  openai: openAiSchema,
  "openai-responses": openAiSchema,
  google: googleSchema,
};

/**
 * Input schemas of tools in the form that a wire's service accepts, so that one odd schema does not make it refuse every
 * request. A schema object is converted once: the same tools make the same bytes, which a prompt cache needs.
 */
export class ToolSchemas {
  readonly #wire: WireTraits["toolSchemas"];
  readonly #known = new WeakMap<object, SchemaNode>();

  constructor(wire: WireTraits["toolSchemas"]) {
    this.#wire = wire;
  }

  /** New tools; what is given stays as it is. */
  of(tools: Tools): Tools {
    return tools.map((tool) => (tool.type === "function" ? this.#prepared(tool) : tool));
  }

  #prepared(tool: LanguageModelV3FunctionTool): LanguageModelV3FunctionTool {
    const wire = this.#wire;
    // A strict schema was written for its service, and every change could break a rule of strict mode.
    if (wire === undefined || tool.strict === true) return tool;
    const schema = tool.inputSchema as SchemaNode;
    const known = this.#known.get(schema) ?? CONVERTERS[wire](schema);
    this.#known.set(schema, known);
    return {
      ...tool,
      inputSchema: known,
      // Said nothing, that service turns strict mode on where it can, and every optional parameter becomes a required one.
      ...(wire === "openai-responses" && { strict: false }),
    };
  }
}
