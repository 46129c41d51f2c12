import type { Schema } from "./copy-schema.ts";

/** Says in the description what the schema cannot say. */
export function withNote(schema: Schema, note: string): Schema {
  const { description } = schema;
  const said = typeof description === "string" && description !== "" ? `${description} ` : "";
  return { ...schema, description: `${said}[${note}]` };
}
