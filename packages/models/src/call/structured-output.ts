import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { JsonSchema } from "../json/json-schema.ts";
import { dropAddedNulls, strictSchema } from "../json/strict-schema.ts";
import type { StructuredOutput } from "../providers/opened-model.ts";

type JsonFormat = Extract<LanguageModelV3CallOptions["responseFormat"], { type: "json" }>;

/** The part of a call that asks for JSON, in the way of a wire. */
export interface JsonRequest {
  readonly prompt: LanguageModelV3Prompt;
  readonly responseFormat?: JsonFormat;
  readonly providerOptions?: SharedV3ProviderOptions;
}

/** Weaker ways, for services that refuse a stronger one. */
export const WEAKER: Readonly<Record<StructuredOutput, StructuredOutput | undefined>> = {
  strict: "object",
  schema: "object",
  object: "prompt",
  prompt: undefined,
};

export function jsonRequest(
  format: JsonFormat,
  prompt: LanguageModelV3Prompt,
  way: StructuredOutput,
  looseSchema: SharedV3ProviderOptions | undefined,
): JsonRequest {
  const schema = format.schema as JsonSchema | undefined;
  if (schema === undefined) return { prompt, responseFormat: format };
  switch (way) {
    case "strict": {
      const strict = strictSchema(schema);
      if (strict !== undefined) return { prompt, responseFormat: { ...format, schema: strict } };
      // Not enforced by the service then, so the model has to read it.
      return {
        prompt: withSchema(prompt, schema),
        responseFormat: { ...format, schema: plain(schema) },
        ...(looseSchema !== undefined && { providerOptions: looseSchema }),
      };
    }
    case "schema":
      return { prompt, responseFormat: { ...format, schema: plain(schema) } };
    case "object":
      return { prompt: withSchema(prompt, schema), responseFormat: { type: "json" } };
    case "prompt":
      return { prompt: withSchema(prompt, schema) };
  }
}

/** What the answer means in terms of the caller's schema. */
export function jsonAnswer(value: unknown, format: JsonFormat, way: StructuredOutput): unknown {
  const schema = format.schema as JsonSchema | undefined;
  return way === "strict" && schema !== undefined ? dropAddedNulls(value, schema) : value;
}

function plain(schema: JsonSchema): JsonSchema {
  const { $schema: _draft, ...rest } = schema;
  return rest;
}

/** In the system text, which stays the same from call to call. */
function withSchema(prompt: LanguageModelV3Prompt, schema: JsonSchema): LanguageModelV3Prompt {
  const text = `Answer with one JSON value and nothing else: no explanation, no code fence. It must satisfy this JSON Schema:\n${JSON.stringify(plain(schema))}`;
  const at = prompt.findLastIndex(({ role }) => role === "system");
  const system = prompt[at];
  if (system?.role !== "system") return [{ role: "system", content: text }, ...prompt];
  return prompt.with(at, { ...system, content: `${system.content}\n\n${text}` });
}
