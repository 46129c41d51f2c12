/** A JSON Schema (draft 7). The AI SDK's own type needs a package of types that is not installed with it. */
export type JsonSchema = Record<string, unknown>;
