import { readFileSync } from "node:fs";
import { TOOL_NAMES } from "@acumen/ace/mcp";
import { markdownTable } from "./markdown-table.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const SCHEMAS = new URL(
  "../../packages/ace/src/integrations/mcp/tool-schemas.json",
  import.meta.url,
);

/** One heading with a table of arguments and a table of results for each tool, from the published schemas. */
export function toolTables(): string {
  const { tools } = JSON.parse(readFileSync(SCHEMAS, "utf8")) as {
    tools: Record<string, { request: Schema; response: Schema }>;
  };
  return TOOL_NAMES.map((name) => {
    const { request, response } = tools[name] ?? { request: {}, response: {} };
    return [
      `### \`${name}\``,
      "",
      markdownTable(["argument", "type", "required", "limits", "default"], argumentRows(request)),
      "",
      markdownTable(["result", "type", "always there"], resultRows(response)),
    ].join("\n");
  }).join("\n\n");
}

function argumentRows(schema: Schema): string[][] {
  return fieldsOf(schema).map(({ path, field, required }) => [
    `\`${path}\``,
    typeOf(field),
    required ? "yes" : "no",
    limitsOf(field),
    field.default === undefined ? "" : `\`${JSON.stringify(field.default)}\``,
  ]);
}

function resultRows(schema: Schema): string[][] {
  return fieldsOf(schema).map(({ path, field, required }) => [
    `\`${path}\``,
    typeOf(field),
    required ? "yes" : "no",
  ]);
}

interface Field {
  readonly path: string;
  readonly field: Schema;
  readonly required: boolean;
}

/** Fields in schema order, those of nested objects and array items after their parent. */
function fieldsOf(schema: Schema, prefix = ""): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = field.items ?? field;
    return [
      { path, field, required: schema.required?.includes(name) ?? false },
      ...fieldsOf(inner, `${path}${field.items === undefined ? "." : "[]."}`),
    ];
  });
}

function typeOf({ type, items }: Schema): string {
  const names = [type ?? "any"].flat().join(" or ");
  return items?.type === undefined ? names : `${names} of ${[items.type].flat().join(" or ")}`;
}

function limitsOf(schema: Schema): string {
  const range = (
    from: number | undefined,
    to: number | undefined,
    unit: string,
  ): readonly string[] => {
    if (from === undefined && to === undefined) return [];
    if (to === undefined)
      return [from === 1 && unit !== "" ? "not empty" : `at least ${from}${unit}`];
    return [from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`];
  };
  return [
    ...range(schema.minLength, schema.maxLength, " characters"),
    ...range(schema.minItems, schema.maxItems, " items"),
    ...range(schema.minimum, schema.maximum, ""),
  ].join(", ");
}
