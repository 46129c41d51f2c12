import { closest } from "@acumen/core";
import { z } from "zod";
import { type ContentBlock, textBlock } from "../content/content-block.ts";
import type { ToolKind } from "../events/event-payloads.ts";
import type {
  PrepareContext,
  PreparedCall,
  RefusedCall,
  Tool,
  ToolOutcome,
  ToolRisk,
} from "./tool.ts";

export interface ToolDefinition<Input> {
  readonly name: string;
  readonly description: string;
  /** Of the input; a strict object, so that unknown fields are named instead of ignored. */
  readonly schema: z.ZodType<Input>;
  readonly kind: ToolKind;
  /** Worst case. */
  readonly risk: ToolRisk;
  prepare(input: Input, context: PrepareContext): Promise<PreparedCall | RefusedCall>;
}

/** A built-in tool: its input is checked before anything else looks at it. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, schema, kind, risk } = definition;
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(schema, { io: "input" });
  return {
    name,
    origin: { type: "builtin" },
    description,
    inputSchema,
    kind,
    risk,
    prepare: async (input, context) => {
      const parsed = schema.safeParse(input);
      if (parsed.success) return definition.prepare(parsed.data, context);
      return { ok: false, message: inputFault(name, parsed.error, inputSchema) };
    },
  };
}

export function failed(message: string): ToolOutcome {
  return { status: "failed", output: [textBlock(message)] };
}

export function completed(...output: readonly ContentBlock[]): ToolOutcome {
  return { status: "completed", output };
}

/** What is wrong with an input and what the tool takes, for a model that will try again. */
function inputFault(
  tool: string,
  { issues }: z.ZodError,
  { properties, required }: Readonly<Record<string, unknown>>,
): string {
  const fields = Object.keys((properties ?? {}) as object);
  const needed = new Set((required ?? []) as readonly string[]);
  const faults = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => unknownField(key, fields))
      : [`${issue.path.length === 0 ? "the input" : issue.path.join(".")}: ${issue.message}`],
  );
  const takes = fields.map((field) => (needed.has(field) ? field : `${field}?`)).join(", ");
  return `The input of ${tool} is not usable: ${faults.join("; ")}. It takes {${takes}}.`;
}

function unknownField(key: string, fields: readonly string[]): string {
  const near = closest(key, fields);
  return `unknown field "${key}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
}
