import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import type { Mode } from "./subjects.ts";

type AssistantContent = Extract<LanguageModelV3Prompt[number], { role: "assistant" }>["content"];

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the provider hands it over: JSON text, or what should have been JSON. */
  readonly input: string;
}

/** One model call, in the same form for both modes. */
export interface Outcome {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: LanguageModelV3FinishReason | undefined;
  readonly usage: LanguageModelV3Usage | undefined;
  /** Error parts of the stream. */
  readonly errors: readonly unknown[];
  /** Number of deltas by kind, streaming only. */
  readonly deltas: Readonly<Record<string, number>>;
  /** What goes back as the assistant's message, metadata included. */
  readonly content: AssistantContent;
}

type Block = {
  type: "text" | "reasoning" | "tool-call";
  text: string;
  call?: ToolCall;
  metadata: SharedV3ProviderMetadata;
};

export async function run(
  model: LanguageModelV3,
  mode: Mode,
  options: LanguageModelV3CallOptions,
): Promise<Outcome> {
  return mode === "generate" ? generate(model, options) : stream(model, options);
}

async function generate(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
): Promise<Outcome> {
  const result = await model.doGenerate(options);
  const blocks = result.content.flatMap((part): Block[] => {
    const metadata = part.providerMetadata ?? {};
    if (part.type === "text" || part.type === "reasoning") {
      return [{ type: part.type, text: part.text, metadata }];
    }
    if (part.type !== "tool-call") return [];
    const call = { id: part.toolCallId, name: part.toolName, input: part.input };
    return [{ type: "tool-call", text: "", call, metadata }];
  });
  return outcomeOf(blocks, {
    finish: result.finishReason,
    usage: result.usage,
    errors: [],
    deltas: {},
  });
}

async function stream(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
): Promise<Outcome> {
  const { stream: parts } = await model.doStream(options);
  const blocks = new Map<string, Block>();
  const errors: unknown[] = [];
  const deltas: Record<string, number> = {};
  let finish: LanguageModelV3FinishReason | undefined;
  let usage: LanguageModelV3Usage | undefined;
  for await (const part of parts) {
    if (part.type.endsWith("-delta")) deltas[part.type] = (deltas[part.type] ?? 0) + 1;
    if (part.type === "error") errors.push(part.error);
    else if (part.type === "finish") ({ finishReason: finish, usage } = part);
    else collect(blocks, part);
  }
  return outcomeOf([...blocks.values()], { finish, usage, errors, deltas });
}

function collect(blocks: Map<string, Block>, part: LanguageModelV3StreamPart): void {
  if (part.type === "tool-call") {
    const call = { id: part.toolCallId, name: part.toolName, input: part.input };
    const metadata = part.providerMetadata ?? {};
    blocks.set(`call ${part.toolCallId}`, { type: "tool-call", text: "", call, metadata });
    return;
  }
  const [type, what] = part.type.split("-");
  if ((type !== "text" && type !== "reasoning") || !("id" in part)) return;
  const key = `${type} ${part.id}`;
  const block = blocks.get(key) ?? { type, text: "", metadata: {} };
  if (what === "delta" && "delta" in part) block.text += part.delta;
  const metadata = "providerMetadata" in part ? part.providerMetadata : undefined;
  for (const [provider, values] of Object.entries(metadata ?? {})) {
    block.metadata = {
      ...block.metadata,
      [provider]: { ...block.metadata[provider], ...values },
    };
  }
  blocks.set(key, block);
}

function outcomeOf(
  blocks: readonly Block[],
  rest: Pick<Outcome, "finish" | "usage" | "errors" | "deltas">,
): Outcome {
  const joined = (type: Block["type"]): string =>
    blocks.map((block) => (block.type === type ? block.text : "")).join("");
  return {
    ...rest,
    text: joined("text"),
    reasoning: joined("reasoning"),
    toolCalls: blocks.flatMap(({ call }) => call ?? []),
    content: blocks.map(partOf),
  };
}

function partOf({ type, text, call, metadata }: Block): AssistantContent[number] {
  const providerOptions = metadata;
  if (type !== "tool-call") return { type, text, providerOptions };
  return {
    type,
    toolCallId: call?.id ?? "",
    toolName: call?.name ?? "",
    input: parsed(call?.input ?? "{}"),
    providerOptions,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The conversation after `outcome`, every call answered by `result`. */
export function answered(
  prompt: LanguageModelV3Prompt,
  outcome: Outcome,
  result: (call: ToolCall) => string,
): LanguageModelV3Prompt {
  return [
    ...prompt,
    { role: "assistant", content: outcome.content },
    {
      role: "tool",
      content: outcome.toolCalls.map((call) => ({
        type: "tool-result",
        toolCallId: call.id,
        toolName: call.name,
        output: { type: "text", value: result(call) },
      })),
    },
  ];
}
