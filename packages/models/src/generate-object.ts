import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import { toJSONSchema, type z } from "zod";
import { modelError } from "./errors.ts";
import { jsonIn } from "./json/json-text.ts";
import type { CallNote, Model, ModelMessages, ModelReply, RetryNotice } from "./model-types.ts";
import { addUsage, NO_USAGE, type Usage } from "./usage.ts";

export interface GenerateObjectOptions<Schema extends z.ZodType> {
  readonly messages: ModelMessages;
  readonly schema: Schema;
  /** Letters, digits, `_` and `-`. */
  readonly schemaName: string;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly providerOptions?: SharedV3ProviderOptions;
  readonly note?: CallNote;
  readonly signal?: AbortSignal;
  readonly onRetry?: (notice: RetryNotice) => void;
  /** Model calls in all; default 4, the first and three more after unusable answers. */
  readonly attempts?: number;
}

export interface GeneratedObject<T> {
  readonly value: T;
  /** Of all attempts together. */
  readonly usage: Usage;
  readonly attempts: number;
}

const DEFAULT_ATTEMPTS = 4;
const MAX_SHOWN_ISSUES = 10;
/** Of a wrong answer, as much goes back to the model. */
const MAX_ECHO_CHARS = 20_000;

/**
 * An answer that satisfies the schema. A wrong one goes back to the model with what is wrong about it.
 * @throws MODEL_FAILED of kind `invalid_output` when the last attempt is wrong too, `content_filter` when the service
 * withheld the answer, and whatever the call itself fails with
 */
export async function generateObject<Schema extends z.ZodType>(
  model: Model,
  options: GenerateObjectOptions<Schema>,
): Promise<GeneratedObject<z.output<Schema>>> {
  const { schema, schemaName, attempts = DEFAULT_ATTEMPTS, messages, ...rest } = options;
  const jsonSchema = toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  let conversation = messages;
  let usage = NO_USAGE;
  let issues = "";
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const reply = await model.generate({
      ...rest,
      messages: conversation,
      responseFormat: { type: "json", name: schemaName, schema: jsonSchema },
    });
    usage = addUsage(usage, reply.usage);
    if (reply.finishReason === "content-filter") throw filtered(model);
    const checked = await check(reply, schema);
    if (checked.ok) return { value: checked.value, usage, attempts: attempt };
    issues = checked.issues;
    conversation = [...messages, ...correction(reply, issues)];
  }
  throw modelError(
    `Model "${model.model}" gave no usable answer in ${attempts} attempts. The last one: ${issues}`,
    { provider: model.provider, model: model.model, kind: "invalid_output" },
  );
}

type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: string };

async function check<Schema extends z.ZodType>(
  reply: ModelReply,
  schema: Schema,
): Promise<Checked<z.output<Schema>>> {
  const json = reply.json ?? jsonIn(reply.text);
  if (json === undefined) return { ok: false, issues: noJson(reply) };
  const parsed = await schema.safeParseAsync(json);
  if (parsed.success) return { ok: true, value: parsed.data };
  const { issues } = parsed.error;
  const shown = issues
    .slice(0, MAX_SHOWN_ISSUES)
    .map(({ path, message }) => `${path.length === 0 ? "the answer" : path.join(".")}: ${message}`);
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : "";
  return { ok: false, issues: `${shown.join("; ")}${more}` };
}

function noJson({ finishReason, text }: ModelReply): string {
  if (finishReason === "length") return "it was cut off at the output limit; be briefer";
  return text.trim() === "" ? "it was empty" : "it is not valid JSON";
}

/** Only the latest wrong answer: the others would teach the same and cost again. */
function correction({ text }: ModelReply, issues: string): ModelMessages {
  const answer: ModelMessages =
    text.trim() === ""
      ? []
      : [{ role: "assistant", content: [{ type: "text", text: text.slice(0, MAX_ECHO_CHARS) }] }];
  const request = `That answer cannot be used: ${issues}. Answer again with the whole corrected JSON value and nothing else.`;
  return [...answer, { role: "user", content: [{ type: "text", text: request }] }];
}

function filtered({ provider, model }: Model): Error {
  return modelError(`The service withheld the answer of model "${model}" by its content policy.`, {
    provider,
    model,
    kind: "content_filter",
  });
}
